import { programOf, type SimpleCommand } from '../shell/simple-command.ts';
import { UNKNOWN, type Word } from '../shell/word.ts';
import type { DenyRule, Finding } from './deny-rule.ts';
import { toRawDisk } from './raw-disk.ts';

/** Programs that write into the files that they are given. */
const WRITERS = new Set(
  'tee cp mv install ln rsync scp shred truncate fallocate wipefs blkdiscard sgdisk sfdisk fdisk cfdisk gdisk parted badblocks hdparm ddrescue pv sponge cryptsetup pvcreate vgcreate mdadm zpool losetup partprobe'.split(
    ' ',
  ),
);

/** What these do when they are only asked. */
const QUESTIONS = /^(-l|-p|--list|--print|print|--dump|-d|--json|-J|--help|--version|-I)$/;

/** Bytes straight onto a disk or into memory, past any file system. */
export const rawDiskWrite: DenyRule = {
  name: 'raw-disk-write',
  what: 'a write to a raw disk',
  hint: 'Write into a file.',
  finds: (command) => worst([...readRedirections(command), ...readArguments(command)]),
};

function readRedirections({ redirections, directories }: SimpleCommand): Finding[] {
  const written = redirections.filter(({ direction }) => direction === 'write');
  return written.map(({ target }) => (target === UNKNOWN ? 'no' : toRawDisk(target, directories)));
}

function readArguments(command: SimpleCommand): Finding[] {
  const { words, directories } = command;
  if (!WRITERS.has(programOf(command))) return [];
  if (
    words.some((word) => QUESTIONS.test(word)) &&
    !['tee', 'cp', 'mv', 'install', 'ln'].includes(programOf(command))
  )
    return [];
  return words.slice(1).map((word) => toRawDisk(toPath(word), directories));
}

function toPath(word: Word): Word {
  const equals = word.indexOf('=');
  return /^-/.test(word) && equals !== -1 ? word.slice(equals + 1) : word;
}

function worst(findings: readonly Finding[]): Finding {
  if (findings.includes('yes')) return 'yes';
  return findings.includes('maybe') ? 'maybe' : 'no';
}

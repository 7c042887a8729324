import { programOf, type SimpleCommand } from '../shell/simple-command.ts';
import { UNKNOWN, type Word } from '../shell/word.ts';

/** Programs that write into the files that they are given. */
const WRITERS = new Set(
  'tee cp mv install ln rsync scp shred truncate fallocate wipefs blkdiscard sgdisk sfdisk fdisk cfdisk gdisk parted badblocks hdparm ddrescue dd_rescue pv sponge cryptsetup pvcreate vgcreate mdadm zpool losetup partprobe qemu-img ntfsclone xfs_copy bmaptool'.split(
    ' ',
  ),
);

/** Options with which these programs only print. */
const QUESTIONS = /^(-l|-p|--list|--print|print|--dump|-d|--json|-J|--help|--version|-I)$/;

const PLAIN_COPIERS = ['tee', 'cp', 'mv', 'install', 'ln'];

/** Options whose value is the file that a program writes, whatever program it is. */
const OUTPUT = /^(--?out|--output|--output-document|--outfile|--output-file|-[A-Za-z]*[oO])$/;
const ATTACHED =
  /^(?:(?:--?out|--output|--output-document|--outfile|--output-file)=|-[A-Za-z]*[oO](?=[./]))([\s\S]+)$/;

/** To these `-o` is something else. */
const READERS = new Set('grep egrep fgrep rg ag ack find test [ ls lsblk ps set ssh mount'.split(' '));

/** Files that a command writes, as far as its words give them away. */
export function toWrittenPaths(command: SimpleCommand): readonly Word[] {
  const { words, redirections } = command;
  const redirected = redirections.flatMap(({ direction, target }) =>
    direction === 'write' && target !== UNKNOWN ? [target] : [],
  );
  const output = words.flatMap((word, index) => {
    const attached = ATTACHED.exec(word)?.[1];
    if (READERS.has(programOf(command))) return [];
    if (attached !== undefined) return [attached];
    return OUTPUT.test(words[index - 1] ?? '') ? [word] : [];
  });
  return [...redirected, ...output, ...toOperands(command)];
}

function toOperands(command: SimpleCommand): readonly Word[] {
  const { words } = command;
  const program = programOf(command);
  const args = words.slice(1);
  if (program === 'debugfs') return words.some((word) => /^-[a-z]*w/.test(word)) ? args : [];
  if (program === 'dd') return args.flatMap((word) => (word.startsWith('of=') ? [word.slice(3)] : []));
  if (program === 'tar') return /^-?[a-zA-Z]*[cru]/.test(words[1] ?? '') ? words.slice(2, 3) : [];
  if (!WRITERS.has(program) && !program.startsWith('partclone.')) return [];
  const isQuestion = args.some((word) => QUESTIONS.test(word)) && !PLAIN_COPIERS.includes(program);
  return isQuestion
    ? []
    : args.map((word) => (/^-.*=/.test(word) ? word.slice(word.indexOf('=') + 1) : word));
}

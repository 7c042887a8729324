import { posix } from 'node:path';
import { type Directory, toLexicalPaths } from '../shell/directories.ts';
import { isCertain, UNKNOWN, type Word } from '../shell/word.ts';
import type { Finding } from './deny-rule.ts';

const DISK =
  /^\/dev\/(?:(?:sd|hd|vd|xvd)[a-z]|nvme\d|mmcblk\d|md\d|dm-\d|loop\d|sr\d|zram\d|ram\d|pmem\d|nbd\d|r?disk\d|mapper\/|disk\/|block\/|k?mem$|port$)/;

const KINDS = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|md|dm-|loop|r?disk)[*?[]/;

/** Tells whether a path names a disk, a partition or the memory of the machine. */
export function toRawDisk(path: Word, directories: readonly Directory[]): Finding {
  if (/^[/\\]{2}[.?][/\\]physicaldrive/i.test(path)) return 'yes';
  const found = toLexicalPaths(path, directories).map(readPath);
  if (found.includes('yes')) return 'yes';
  return found.includes('maybe') ? 'maybe' : 'no';
}

function readPath(path: string): Finding {
  if (DISK.test(path) || KINDS.test(path)) return 'yes';
  const folder = posix.dirname(path);
  if (isCertain(path)) return folder === '/dev' && /[*?[{]/.test(path) ? 'maybe' : 'no';
  const known = path.slice(0, path.indexOf(UNKNOWN));
  return known.startsWith('/dev/') && !/^\/dev\/(shm|fd|pts)\//.test(known) ? 'maybe' : 'no';
}

import { readProcText } from './proc-entry.ts';

/** The first of the device numbers of pseudoterminals, and how many there are: see the kernel's `devices.txt`. */
const firstMajor = 136;
const majors = 8;

/**
 * The terminal to which a process belongs, such as `/dev/pts/3`, whatever its files are open on. `null` where it has none, or one that is
 * no pseudoterminal.
 */
export function findControllingTerminal(pid: number): string | null {
  const stat = readProcText(`/proc/${pid}/stat`) ?? '';
  // `tty_nr`, field 7 of proc_pid_stat(5); the name before it may hold blanks.
  const [, , , , terminal = '0'] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return toTerminalPath(Number(terminal));
}

/** Bits 8 to 15 are the major device number; all others, those above on top, the minor one. */
export function toTerminalPath(device: number): string | null {
  const major = (device >>> 8) & 0xff;
  const minor = ((device >>> 12) & 0xfff00) | (device & 0xff);
  const index = (major - firstMajor) * 256 + minor;
  return major >= firstMajor && major < firstMajor + majors ? `/dev/pts/${index}` : null;
}

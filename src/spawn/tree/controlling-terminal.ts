import { readProcText } from './proc-entry.ts';

/** First device number of pseudoterminals, and their count: see the kernel's `devices.txt`. */
const firstMajor = 136;
const majors = 8;

/**
 * Returns the terminal of a process, such as `/dev/pts/3`, whatever its files are open on. `null` without one, or for one that is
 * no pseudoterminal.
 */
export function findControllingTerminal(pid: number): string | null {
  const stat = readProcText(`/proc/${pid}/stat`) ?? '';
  // `tty_nr`, field 7 of proc_pid_stat(5); the name before it may contain blanks.
  const [, , , , terminal = '0'] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return toTerminalPath(Number(terminal));
}

/** Converts a device number: bits 8 to 15 are the major number, all others the minor one. */
export function toTerminalPath(device: number): string | null {
  const major = (device >>> 8) & 0xff;
  const minor = ((device >>> 12) & 0xfff00) | (device & 0xff);
  const index = (major - firstMajor) * 256 + minor;
  return major >= firstMajor && major < firstMajor + majors ? `/dev/pts/${index}` : null;
}

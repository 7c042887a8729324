import { existsSync, readFileSync } from 'node:fs';

/** Returns whether a process is alive. A zombie is dead, and may not be reaped in a container. */
export function lives(pid: number | null | undefined): boolean {
  const path = `/proc/${pid}/stat`;
  return existsSync(path) && !/\) Z /.test(readFileSync(path, 'utf8'));
}

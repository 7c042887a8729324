/** The numbers under which this program itself can be reached. */
export interface OwnNumbers {
  readonly pid: number;
  readonly pgid: number;
  readonly sid: number;
}

/**
 * Whether `id`, a process or a group, is never signalled: to kill(2) 0 is the caller's own group, 1 as a process is the
 * system's first and as a group -1, which is everybody; ourselves, and what is no number of a process at all.
 */
export function isRefusedTarget(id: number, own: OwnNumbers): boolean {
  if (!Number.isSafeInteger(id) || id <= 1) return true;
  return id === own.pid || id === own.pgid || id === own.sid;
}

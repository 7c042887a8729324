import { basename } from 'node:path';

/** Whose draft a file is: the pid that is in its name. */
const draftName = /^\.[\w-]{1,64}\.(?:json|log\.times)\.(\d{1,10})\.\d+\.tmp$/;

/** `.<id>.json.<pid>.<count>.tmp`: a record that is being written; an index of times likewise. */
export function toDraftName(path: string, { pid, count }: { pid: number; count: number }): string {
  return `.${basename(path)}.${pid}.${count}.tmp`;
}

/** `null` for what is no draft. */
export function toDraftPid(name: string): number | null {
  const pid = draftName.exec(name)?.[1];
  return pid === undefined ? null : Number(pid);
}

import { readlinkSync, statSync } from 'node:fs';
import type { TreeMember } from '../../../machines/process/context.ts';
import { lineageIn } from './lineage.ts';
import { readProcText, readStatLine } from './proc-entry.ts';
import type { ProcessEntry } from './process-table.ts';
import { toRealPath } from './scoped-table.ts';

/** Implements `ProcessTable.filterUntraceable`. Cheap checks come first: an environment is read of orphans only. */
export function findUntraceable(
  entries: readonly ProcessEntry[],
  cwd: string | null,
): readonly ProcessEntry[] {
  const strange = entries.filter(({ alive, ppid }) => alive && ppid !== process.pid);
  if (strange.length === 0) return [];
  const sessions = readAncestors();
  // Adopted by the first process or a subreaper, which for our children is one of our own ancestors. A background process of the shell
  // that started us has its parent there, too, but shares its session.
  const isOrphan = ({ ppid, sid }: ProcessEntry) => sessions.has(ppid) && sessions.get(ppid) !== sid;
  const orphans = strange.filter((entry) => isOrphan(entry) && isOfThisUser(entry.pid));
  if (orphans.length === 0) return [];
  const place = cwd === null ? null : toRealPath(cwd);
  return orphans.filter(({ pid }) => hidesOrigin(pid, place));
}

/** Tells whether a process that was seen once still exists. Linux only. */
export function isSuspectAlive({ pid, startedAt }: TreeMember): boolean {
  const line = readStatLine(pid);
  return line?.alive === true && line.startTicks === startedAt;
}

/** Describes suspects in a sentence with what can be done; empty without any. */
export function describeSuspects(suspects: readonly TreeMember[]): string {
  if (suspects.length === 0) return '';
  const names = suspects.map(({ pid, command }) => `${pid} (${command})`).join(', ');
  const isOne = suspects.length === 1;
  return (
    `Possibly left running by it: ${names}. ${isOne ? 'It began' : 'They began'} meanwhile and ${isOne ? 'hides its' : 'hide their'} origin, so ` +
    `${isOne ? 'it was' : 'they were'} not signalled; to end ${isOne ? 'it' : 'them'}: kill ${suspects.map(({ pid }) => pid).join(' ')}`
  );
}

/** Reads the session of each process above this one. */
function readAncestors(): ReadonlyMap<number, number> {
  const sessions = new Map<number, number>();
  for (let pid = process.ppid; pid > 0 && !sessions.has(pid); ) {
    const line = readStatLine(pid);
    if (line === null) break;
    sessions.set(pid, line.sid);
    pid = line.ppid;
  }
  const first = sessions.has(1) ? null : readStatLine(1);
  if (first !== null) sessions.set(1, first.sid);
  return sessions;
}

function isOfThisUser(pid: number): boolean {
  const user = process.geteuid?.();
  return user === 0 || statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === user;
}

/**
 * Tells whether the environment has no variables, or no lineage in a process that works in this directory. Servers that show their own title
 * write it over their environment.
 */
function hidesOrigin(pid: number, cwd: string | null): boolean {
  const environment = readProcText(`/proc/${pid}/environ`);
  if (environment !== null && /(?:^|\0)[A-Za-z_]\w*=/.test(environment))
    return cwd !== null && cwd !== '/' && lineageIn(environment) === '' && readDirectory(pid) === cwd;
  const line = readStatLine(pid);
  if (line === null || !line.alive || line.kernelThread) return false;
  // In the middle of `execve` there is none yet.
  return environment !== '' || line.environmentIsEmpty;
}

/** Returns the working directory of a process; `null` where it is gone or closed to us. Daemons usually leave theirs for `/`. */
function readDirectory(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

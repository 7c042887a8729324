import { existsSync } from 'node:fs';
import type { HeldBy } from '../../../machines/process/context.ts';
import type { BackendPort } from '../backend.ts';
import { becomeAfter, quoteWord } from '../launcher-shell.ts';
import type { ProcessEntry } from '../tree/process-table.ts';
import { isFreezeOrdered } from './cgroup-files.ts';
import type { Cgroups } from './cgroups.ts';
import { findOuterCgroup } from './own-cgroup.ts';

/** Returns a shell line that joins the cgroup `path`, a shell word. If that fails, it removes the cgroup, so that nothing is believed to be in it. */
export function toJoinLine(path: string): string {
  return `{ echo 0 >${path}/cgroup.procs || rmdir ${path}; } 2>/dev/null`;
}

/**
 * Wraps a command in a shell that joins a cgroup and then becomes the command. Joining from outside would leave the command time to start
 * something, and would block this program for some 15 ms.
 */
export function joinCgroup(
  path: string,
  start: { readonly command: readonly string[]; readonly env: Readonly<NodeJS.ProcessEnv> },
): readonly [file: string, ...args: readonly string[]] {
  return becomeAfter([toJoinLine(quoteWord(path))], start);
}

/**
 * Wraps the command of a program that must outlive the process in which this program runs, such as a daemon: the program joins the cgroup
 * above those of troupe. Returns the command unchanged if this program runs in none of them.
 */
export function leaveCgroup(start: {
  readonly command: readonly [file: string, ...args: readonly string[]];
  readonly env: Readonly<NodeJS.ProcessEnv>;
}): readonly [file: string, ...args: readonly string[]] {
  const outer = findOuterCgroup();
  return outer === null ? start.command : joinCgroup(outer, start);
}

/**
 * Finds the cgroup of an adopted attempt. The record may name the leader of the previous attempt, or none if the supervisor was killed right
 * after the start.
 */
export function findAdopted({ request, leader }: BackendPort, cgroups: Cgroups | undefined): string | null {
  const recorded = leader?.cgroup ?? null;
  if (recorded?.endsWith(`.${request.attempt}`)) return recorded;
  return cgroups?.find(request) ?? null;
}

/** Asks the system whether an adopted process is paused: by the freezer of its cgroup, or because its leader is halted. */
export function isPaused(cgroup: string | null, leader: ProcessEntry | null): boolean {
  return (cgroup !== null && isFreezeOrdered(cgroup)) || leader?.stopped === true;
}

/** Returns the mechanism that holds a process started for this cgroup; a process that could not join has removed it. */
export function toHeldBy(cgroup: string | null): HeldBy {
  return cgroup !== null && existsSync(cgroup) ? 'cgroup' : 'lineage';
}

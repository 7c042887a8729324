import { existsSync } from 'node:fs';
import type { HeldBy } from '../../../machines/process/context.ts';
import type { BackendPort } from '../backend.ts';
import { chooseLauncherShell } from '../launcher-shell.ts';
import type { Cgroups } from './cgroups.ts';
import { findOuterCgroup } from './own-cgroup.ts';

/** Line of a shell script with which it joins the cgroup `path`, a shell word. Where that fails, it removes the cgroup, which then holds nothing. */
export function toJoinLine(path: string): string {
  return `{ echo 0 >${path}/cgroup.procs || rmdir ${path}; } 2>/dev/null`;
}

/**
 * Wraps a command so that it joins a cgroup before it is executed: a shell joins and becomes the command, with the same pid and the
 * environment that it was given. Joined from outside, a command could start something before; and the kernel would hold up this program
 * for 15 ms.
 */
export function joinCgroup(
  path: string,
  { command, env }: { readonly command: readonly string[]; readonly env: Readonly<NodeJS.ProcessEnv> },
): readonly [file: string, ...args: readonly string[]] {
  const shell = chooseLauncherShell(Object.keys(env));
  // Shells set both for themselves.
  const { PWD: directory, OLDPWD: before } = env;
  const restore = directory === undefined ? 'unset PWD' : 'PWD=$1; export PWD';
  const other = before === undefined ? 'unset OLDPWD' : ':';
  const script = `${toJoinLine('"$0"')}; ${restore}; ${other}; shift; ${shell.become(env)}`;
  const [file = '/bin/sh', ...flags] = shell.argv;
  return [file, ...flags, '-c', script, path, directory ?? '', ...command];
}

/**
 * Returns the command of a program that must outlive the process in which this program runs, such as a daemon: it joins the cgroup above those
 * of troupe. Outside of these it is returned as it is.
 */
export function leaveCgroup(start: {
  readonly command: readonly [file: string, ...args: readonly string[]];
  readonly env: Readonly<NodeJS.ProcessEnv>;
}): readonly [file: string, ...args: readonly string[]] {
  const outer = findOuterCgroup();
  return outer === null ? start.command : joinCgroup(outer, start);
}

/**
 * Finds the cgroup of an attempt that is adopted. The record may name the leader of the attempt before, or none: a supervisor that was killed
 * right after a start has not recorded it.
 */
export function findAdopted({ request, leader }: BackendPort, cgroups: Cgroups | undefined): string | null {
  const recorded = leader?.cgroup ?? null;
  if (recorded?.endsWith(`.${request.attempt}`)) return recorded;
  return cgroups?.find(request) ?? null;
}

/** Returns by what a process is held that was to join this cgroup, or none. It has not joined one that is gone. */
export function toHeldBy(cgroup: string | null): HeldBy {
  return cgroup !== null && existsSync(cgroup) ? 'cgroup' : 'lineage';
}

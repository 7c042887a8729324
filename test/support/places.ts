import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { HeldBy } from '../../machines/process/context.ts';
import { findOwnCgroup } from '../../src/spawn/cgroup/own-cgroup.ts';
import { mainFile } from '../cli/program.ts';
import { tempDir, waitUntil } from './os.ts';
import { type PuppetHost, startPuppetHost } from './puppet-host.ts';

/** Kind of place for a supervisor: its user, and the cgroups that it finds. */
export interface Place {
  readonly held: HeldBy;
  /** Reason of `troupe doctor` why cgroups are unavailable; `null` where they are available. */
  readonly problem: string | RegExp | null;
  /** Reason why this machine has no such place; `null` if it has one. */
  findObstacle(): string | null;
  open(): OpenPlace;
}

export interface OpenPlace {
  /** Directory that belongs to the user of the place. */
  readonly directory: string;
  readonly file: (name: string) => string;
  /** Cgroup in which its programs run; `null` where they can make none. */
  readonly cgroup: string | null;
  startHost(): Promise<PuppetHost>;
  /** Runs a command to its end, and returns its output. */
  run(file: string, ...args: readonly string[]): Promise<string>;
  /** Removes the place. Its cgroup must have no process. */
  close(): Promise<void>;
}

/** User without other processes. */
const uid = 50_000 + (process.pid % 10_000);
const asUser = ['setpriv', '--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups', '--'];

const joined = (cgroup: string) => ['sh', '-c', 'echo $$ >"$0/cgroup.procs" && exec "$@"', cgroup];

const unmountAll =
  'while read -r _ _ _ _ path _ rest; do case $rest in *"- cgroup2 "*) umount -l "$path" || exit ;; esac; done';
const withoutCgroups = [
  ...['unshare', '--mount', 'sh', '-c'],
  ...[`${unmountAll} </proc/self/mountinfo; exec "$@"`, 'sh'],
];

/** Places in which a supervisor is held by different means, by their names. */
export const places: Readonly<Record<string, Place>> = {
  'a program that may make cgroups': {
    ...{ held: 'cgroup', problem: null, findObstacle: findCgroupObstacle },
    open: () => openPlace({ start: [], cgroup: ownCgroup() }),
  },
  'a user with a delegated cgroup': {
    ...{ held: 'cgroup', problem: null },
    findObstacle: () => findCgroupObstacle() ?? findStartObstacle(asUser),
    open: () => {
      const cgroup = delegateCgroup();
      return openPlace({ start: [...joined(cgroup), ...asUser], owner: uid, cgroup, isOwn: true });
    },
  },
  'a user without a delegated cgroup': {
    ...{ held: 'lineage', problem: / may not be written by this user: it is not delegated$/ },
    findObstacle: () => findStartObstacle(asUser),
    open: () => openPlace({ start: asUser, owner: uid }),
  },
  'a program without a hierarchy of cgroups': {
    ...{ held: 'lineage', problem: 'no cgroup hierarchy of version 2 is mounted' },
    findObstacle: () => findStartObstacle(withoutCgroups),
    open: () => openPlace({ start: withoutCgroups }),
  },
};

function ownCgroup(): string | null {
  const own = findOwnCgroup();
  return 'path' in own ? own.path : null;
}

function findCgroupObstacle(): string | null {
  const own = findOwnCgroup();
  return 'path' in own ? null : own.why;
}

/** Tries whether programs can be started in this way. */
function findStartObstacle(start: readonly string[]): string | null {
  const [file = '', ...args] = [...start, process.execPath, '--check', mainFile];
  const { status, stderr, error } = spawnSync(file, args, { encoding: 'utf8', cwd: '/' });
  return status === 0 ? null : `${file} fails: ${error?.message ?? stderr.trim()}`;
}

/** Makes a cgroup that belongs to the user, as systemd does with `Delegate=yes`. */
function delegateCgroup(): string {
  const path = join(ownCgroup() ?? '', `delegated-${randomUUID()}`);
  mkdirSync(path);
  for (const file of ['', 'cgroup.procs', 'cgroup.subtree_control']) chownSync(join(path, file), uid, uid);
  return path;
}

function openPlace(given: {
  /** Words before the command of a program. */
  readonly start: readonly string[];
  readonly owner?: number;
  readonly cgroup?: string | null;
  /** True if the cgroup is removed with the place. */
  readonly isOwn?: boolean;
}): OpenPlace {
  const { start, owner, cgroup = null, isOwn = false } = given;
  const { path: directory, file, remove } = tempDir();
  if (owner !== undefined) chownSync(directory, owner, owner);
  const env = { TMPDIR: directory, HOME: directory };
  return {
    ...{ directory, file, cgroup },
    startHost: () => startPuppetHost(directory, { env, start }),
    run: async (program, ...args) => {
      const [first = '', ...rest] = [...start, program, ...args];
      const options = { cwd: directory, env: { ...process.env, ...env } };
      return (await promisify(execFile)(first, rest, options)).stdout;
    },
    close: async () => {
      remove();
      if (isOwn && cgroup !== null)
        await waitUntil(() => tryRemove(cgroup), { what: `${cgroup} has no process` });
    },
  };
}

function tryRemove(cgroup: string): boolean {
  try {
    rmdirSync(cgroup);
    return true;
  } catch {
    // A process in it dies, or its supervisor has cgroups there.
    return false;
  }
}

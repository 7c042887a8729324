import { existsSync, mkdirSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SpawnRequest } from '../backend.ts';
import { readStatLine } from '../tree/proc-entry.ts';
import type { ToMark } from '../tree/scoped-table.ts';
import { listBelow } from './cgroup-files.ts';
import { type Controller, delegate, enableBelow, setLimit, toCgroupSettings } from './controllers.ts';
import { CGROUP_PREFIX, findOwnCgroup, HOST_CGROUP } from './own-cgroup.ts';

/** Cgroups of one supervisor, one for each attempt of a process. A descendant stays in it, whatever it does to its environment or session. */
export interface Cgroups {
  /** Cgroup above those of the processes that end with the supervisor; `null` where there are none. */
  readonly sessionPath: string | null;
  /** Makes a controller available for the cgroups of processes. Returns why that is not possible, as a clause; `null` if it is. */
  enable(controller: Controller): string | null;
  /** Makes the cgroup of an attempt with its limits and returns its path; `null` where that is not possible. */
  open(request: Pick<SpawnRequest, 'id' | 'attempt' | 'outlives' | 'limits'>): string | null;
  /** Returns the cgroup of an attempt that an earlier supervisor started from the same cgroup; `null` where there is none. */
  find(request: Pick<SpawnRequest, 'id' | 'attempt'>): string | null;
  /** Removes a cgroup, also one of an earlier supervisor, unless a process lives in it. */
  remove(path: string): void;
  /** Removes all cgroups of the supervisor in which no process lives. */
  close(): void;
}

const createNone = (why: string): Cgroups => ({
  sessionPath: null,
  enable: () => why,
  open: () => null,
  find: () => null,
  remove: () => {},
  close: () => {},
});

/**
 * Creates cgroups below the one of this program: `troupe-<pid>-<start>-<supervisor>/session/<mark>.<attempt>`, or `persistent` for processes
 * that outlive their supervisor. The first one removes those that dead supervisors have left empty.
 */
export function createCgroups(supervisorId: string, toMark: ToMark): Cgroups {
  const own = findOwnCgroup();
  if (!('path' in own)) return createNone(own.why);
  const { path: base } = own;
  const { pid } = process;
  const startTicks = readStatLine(pid)?.startTicks ?? '';
  const root = join(base, `${CGROUP_PREFIX}${pid}-${startTicks}-${supervisorId}`);
  let hasSwept = false;
  const toName = ({ id, attempt }: Pick<SpawnRequest, 'id' | 'attempt'>) => `${toMark(id)}.${attempt}`;

  function sweep(): void {
    if (hasSwept) return;
    hasSwept = true;
    for (const name of listBelow(base))
      if (name === HOST_CGROUP || isOfDead(name)) removeAll(join(base, name));
  }

  const obstacles = new Map<Controller, string | null>();

  function enable(controller: Controller): string | null {
    const known = obstacles.get(controller);
    if (known !== undefined) return known;
    const why = enableBelow(base, controller);
    obstacles.set(controller, why);
    return why;
  }

  return {
    sessionPath: join(root, 'session'),
    enable,
    open: ({ outlives, limits, ...request }) => {
      const parent = join(root, outlives ? 'persistent' : 'session');
      const path = join(parent, toName(request));
      try {
        sweep();
        mkdirSync(parent, { recursive: true });
        const settings = toCgroupSettings(limits);
        for (const { controller } of settings) {
          // The limits of an adopted process were planned by an earlier supervisor, perhaps in another cgroup.
          enable(controller);
          for (const above of [root, parent]) delegate(above, controller);
        }
        mkdirSync(path, { recursive: true });
        for (const { file, value, isOptional } of settings) setLimit(join(path, file), { value, isOptional });
        return path;
      } catch {
        // For example too many cgroups. The lineage holds the process then, unless it has limits that need a cgroup.
        tryRemove(path);
        return null;
      }
    },
    find: (request) => {
      const supervisors = listBelow(base).filter((name) => name.startsWith(CGROUP_PREFIX));
      const paths = supervisors.map((name) => join(base, name, 'persistent', toName(request)));
      return paths.find((path) => existsSync(path)) ?? null;
    },
    remove: (path) => {
      const isRemoved = tryRemove(path);
      if (!isRemoved || path.startsWith(`${root}/`)) return;
      if (tryRemove(dirname(path))) tryRemove(dirname(dirname(path)));
    },
    close: () => removeAll(root),
  };
}

/** Returns whether the supervisor that a cgroup is named after is dead. */
function isOfDead(name: string): boolean {
  const [, pid, startTicks] = /^troupe-(\d+)-(\d+)-/.exec(name) ?? [];
  if (pid === undefined) return false;
  const line = readStatLine(Number(pid));
  return line?.alive !== true || line.startTicks !== startTicks;
}

/** Removes a cgroup and those below it; the populated ones stay. */
function removeAll(path: string): void {
  for (const name of listBelow(path)) removeAll(join(path, name));
  tryRemove(path);
}

function tryRemove(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch {
    return false;
  }
}

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SpawnRequest } from '../backend.ts';
import { readProcText, readStatLine } from '../tree/proc-entry.ts';
import { readCgroupText, writeCgroupFile } from './cgroup-files.ts';
import { HOST_CGROUP } from './own-cgroup.ts';

/** Controllers of cgroups that keep limits of processes. */
export type Controller = 'memory' | 'pids' | 'cpu';

/** Value of a file of a cgroup that limits what is in it. */
interface CgroupSetting {
  readonly controller: Controller;
  readonly file: string;
  readonly value: string;
  /** True for a file that kernels without the feature do not have. */
  readonly isOptional: boolean;
}

/** Period in which the processor time of a cgroup is counted; the default of the kernel. */
const CPU_PERIOD_US = 100_000;

/** Returns the settings of a cgroup by which limits are kept. */
export function toCgroupSettings(limits: SpawnRequest['limits']): readonly CgroupSetting[] {
  const { memoryBytes, memoryOf, processes, cpus } = limits ?? {};
  const settings: CgroupSetting[] = [];
  const add = (controller: Controller, file: string, value: number | string, isOptional = false) =>
    settings.push({ controller, file: `${controller}.${file}`, value: `${value}`, isOptional });
  if (memoryBytes !== undefined && memoryOf === 'tree') {
    add('memory', 'max', memoryBytes);
    // Otherwise it would use the disk in the place of the memory.
    add('memory', 'swap.max', 0, true);
    // All its processes are killed together: half a tree would continue with whatever its missing half leaves.
    add('memory', 'oom.group', 1, true);
  }
  if (processes !== undefined) add('pids', 'max', processes);
  if (cpus !== undefined)
    add('cpu', 'max', `${Math.max(1_000, Math.round(cpus * CPU_PERIOD_US))} ${CPU_PERIOD_US}`);
  return settings;
}

/** Writes a setting. @throws Error as write(2) does. */
export function setLimit(
  path: string,
  { value, isOptional }: Pick<CgroupSetting, 'value' | 'isOptional'>,
): void {
  try {
    writeCgroupFile(path, value);
  } catch (error) {
    if (!isOptional || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Makes a controller available in the cgroups below one. @throws Error as write(2) does. */
export function delegate(path: string, controller: Controller): void {
  const file = join(path, 'cgroup.subtree_control');
  if (!readWords(file).includes(controller)) writeCgroupFile(file, `+${controller}`);
}

/**
 * Makes a controller available below the cgroup of this program. Apart from the root, a cgroup that contains processes cannot delegate
 * controllers: if it contains only this program and its descendants, they move to a child cgroup first. Returns a clause that says why the
 * controller is unavailable; `null` if it is available.
 */
export function enableBelow(base: string, controller: Controller): string | null {
  const offered = readWords(join(base, 'cgroup.controllers'));
  if (!offered.includes(controller))
    return `the cgroup ${base} has no controller "${controller}"${isInVersion1(controller) ? ': it belongs to a hierarchy of version 1' : ''}`;
  const first = tryDelegate(base, controller);
  if (first === null || first.code !== 'EBUSY') return first?.message ?? null;
  const foreign = moveToHostCgroup(base);
  if (foreign !== null)
    return `the cgroup ${base} cannot delegate the controller "${controller}", because it contains process ${foreign} of another program`;
  return tryDelegate(base, controller)?.message ?? null;
}

function tryDelegate(base: string, controller: Controller): NodeJS.ErrnoException | null {
  try {
    delegate(base, controller);
    return null;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

/** Moves this program and its descendants out of a cgroup. Returns the pid of a foreign process there, and then moves nothing. */
function moveToHostCgroup(base: string): number | null {
  const pids = readWords(join(base, 'cgroup.procs')).map(Number);
  const foreign = pids.find((pid) => !isOwn(pid));
  if (foreign !== undefined) return foreign;
  const host = join(base, HOST_CGROUP);
  mkdirSync(host, { recursive: true });
  for (const pid of pids) {
    try {
      writeCgroupFile(join(host, 'cgroup.procs'), `${pid}`);
    } catch {
      // It has ended.
    }
  }
  return null;
}

/** Returns whether a process is this program or a descendant of it. */
function isOwn(pid: number): boolean {
  for (let next = pid; next > 0; next = readStatLine(next)?.ppid ?? 0) if (next === process.pid) return true;
  return false;
}

function isInVersion1(controller: Controller): boolean {
  return new RegExp(String.raw`^\d+:(?:.*,)?${controller}(?:,.*)?:/`, 'm').test(
    readProcText('/proc/self/cgroup') ?? '',
  );
}

function readWords(path: string): readonly string[] {
  return (readCgroupText(path) ?? '').split(/\s+/).filter((word) => word !== '');
}

import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readProcText } from '../tree/proc-entry.ts';

/** Prefix of the names of supervisors' cgroups. */
export const CGROUP_PREFIX = 'troupe-';

/** Name of the cgroup to which programs move that hand controllers on; see `enableBelow`. */
export const HOST_CGROUP = `${CGROUP_PREFIX}host`;

/** Cgroup of this program, in which its supervisors create theirs; `why`, a clause, where they cannot. */
export type OwnCgroup = { readonly path: string } | { readonly why: string };

/** Type of the root of the hierarchy, which has no file for it. */
const rootType = 'domain';

/** Finds the cgroup (version 2) of this program, mounted at the usual place or beside version 1. */
export function findOwnCgroup(): OwnCgroup {
  const mount = findMount(readProcText('/proc/self/mountinfo') ?? '');
  if (mount === null) return { why: 'no cgroup hierarchy of version 2 is mounted' };
  const current = readName('self');
  const own = current?.endsWith(`/${HOST_CGROUP}`) ? dirname(current) : current;
  if (own === undefined) return { why: '/proc/self/cgroup names no cgroup of version 2' };
  // A path above the root of the mount belongs to another cgroup namespace.
  if (own.startsWith('/..')) return { why: `the cgroup ${own} of this program is outside of ${mount}` };
  const path = join(mount, own);
  if (!existsSync(join(path, 'cgroup.procs'))) return { why: `${path} does not exist` };
  if (!isWritable(path) || !isWritable(join(path, 'cgroup.procs')))
    return { why: `${path} may not be written by this user: it is not delegated` };
  const type = readProcText(join(path, 'cgroup.type'))?.trim() ?? rootType;
  if (type !== 'domain') return { why: `${path} has the type "${type}", whose cgroups take no processes` };
  return { path };
}

/** Returns the cgroup above those of troupe; `null` if this program runs in none of them. */
export function findOuterCgroup(own: OwnCgroup = findOwnCgroup()): string | null {
  if (!('path' in own)) return null;
  const end = own.path.indexOf(`/${CGROUP_PREFIX}`);
  return end === -1 ? null : own.path.slice(0, end);
}

/** Returns the cgroup of a process that a supervisor has put into one of its own; `null` for others. */
export function findProcessCgroup(pid: number): string | null {
  const path = readName(pid);
  const name = new RegExp(`/${CGROUP_PREFIX}[^/]+/(?:session|persistent)/[^/]+`).exec(path ?? '');
  if (path === undefined || name === null) return null;
  const mount = findMount(readProcText('/proc/self/mountinfo') ?? '');
  // Below it are the cgroups of supervisors that the process has started.
  return mount === null ? null : join(mount, path.slice(0, name.index + name[0].length));
}

/** Reads the name of the cgroup of a process, from the root of the hierarchy. */
function readName(pid: number | 'self'): string | undefined {
  return /^0::(\/.*)$/m.exec(readProcText(`/proc/${pid}/cgroup`) ?? '')?.[1];
}

/** Finds the mount of the whole hierarchy; see proc_pid_mountinfo(5). */
function findMount(mountinfo: string): string | null {
  for (const line of mountinfo.split('\n')) {
    const [own = '', filesystem = ''] = line.split(' - ');
    if (!filesystem.startsWith('cgroup2 ')) continue;
    const [, , , root, mount = ''] = own.split(' ');
    // Blanks and the like are written in octal.
    if (root === '/')
      return mount.replace(/\\(\d{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8)));
  }
  return null;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

import { lstat, readdir, readlink } from 'node:fs/promises';
import { basename, dirname, join, parse, resolve, sep } from 'node:path';
import picomatch from 'picomatch';

/** Error for a path that cannot be resolved: no permission, or too many matches. */
export class UnclearPathError extends Error {}

const MAX_LINKS = 40;

/** PATH_MAX of Linux: no program can open a longer path. */
const MAX_PATH = 4_096;

/** Entries looked at for the patterns of one path. */
const MAX_STEPS = 2_000;
const MAX_MATCHES = 200;

/** Codes of missing entries, whose paths are taken literally. */
const MISSING = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EINVAL'];

/**
 * Resolves the real paths that a program reaches with `path` from the real directory `from`: link by link as the
 * kernel does, including missing last parts, and every match of a shell pattern.
 *
 * @throws UnclearPathError
 */
export async function toRealPaths(path: string, from: string): Promise<readonly string[]> {
  if (path.length > MAX_PATH) throw new UnclearPathError(`it is longer than ${MAX_PATH} characters`);
  const absolute = parse(path).root !== '';
  let steps = 0;
  let paths: readonly string[] = [absolute ? parse(path).root : from];
  for (const part of path.slice(parse(path).root.length).split(/[\\/]+/)) {
    steps += paths.length;
    if (steps > MAX_STEPS) throw new UnclearPathError(`it has more than ${MAX_STEPS} parts and matches`);
    const next = await Promise.all(paths.map((base) => step(base, part)));
    paths = [...new Set(next.flat())];
    if (paths.length > MAX_MATCHES) throw new UnclearPathError(`more than ${MAX_MATCHES} files match`);
  }
  return paths;
}

/** The one path, with every link followed. @throws UnclearPathError */
export async function toRealPath(path: string): Promise<string> {
  if (path.length > MAX_PATH) throw new UnclearPathError(`it is longer than ${MAX_PATH} characters`);
  let real = parse(path).root;
  for (const part of resolve(path)
    .slice(real.length)
    .split(/[\\/]+/)) {
    real = part === '' ? real : await followLinks(join(real, part), 0);
  }
  return real;
}

/** Returns whether a path is a folder or lies in it; both are real paths. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

async function step(base: string, part: string): Promise<readonly string[]> {
  if (part === '' || part === '.') return [base];
  if (part === '..') return [dirname(base)];
  const literal = await followLinks(join(base, part), 0);
  if (!/[*?[]/.test(part)) return [literal];
  const matches = await listMatches(base, part);
  const followed = await Promise.all(matches.map((name) => followOpenable(join(base, name))));
  // A shell's `.*` and `.?` match `..`, too.
  return [literal, ...followed.flat(), ...(/^\.\.?[*?[]/.test(part) ? [dirname(base)] : [])];
}

async function listMatches(folder: string, pattern: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    const isMatch = picomatch(pattern, { dot: true });
    return names.filter((name) => isMatch(name)).slice(0, MAX_MATCHES + 1);
  } catch {
    return [];
  }
}

/** Resolves a path; one that cannot be followed here cannot be opened by a program either. */
async function followOpenable(path: string): Promise<readonly string[]> {
  try {
    return [await followLinks(path, 0)];
  } catch {
    return [];
  }
}

/** `path` has no link in it but perhaps the last part. */
async function followLinks(path: string, count: number): Promise<string> {
  if (count > MAX_LINKS) throw new UnclearPathError(`${basename(path)} is a circle of links`);
  const target = await readTarget(path);
  if (target === null) return path;
  let real = parse(target).root === '' ? dirname(path) : parse(target).root;
  for (const part of target.slice(parse(target).root.length).split(/[\\/]+/)) {
    if (part === '' || part === '.') continue;
    real = part === '..' ? dirname(real) : await followLinks(join(real, part), count + 1);
  }
  return real;
}

/** `null` where there is no link. */
async function readTarget(path: string): Promise<string | null> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : null;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (MISSING.includes(code)) return null;
    throw new UnclearPathError(`${path} cannot be checked (${code})`, { cause: error });
  }
}

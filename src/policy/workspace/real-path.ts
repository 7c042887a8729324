import { lstat, readdir, readlink } from 'node:fs/promises';
import { basename, dirname, join, parse, resolve } from 'node:path';
import picomatch from 'picomatch';

/** Why a path leads nowhere that can be told: no permission to look, or more matches than anybody wants to follow. */
export class UnclearPathError extends Error {}

const MAX_LINKS = 40;
const MAX_MATCHES = 200;

/** What has no entry on disk is taken as it is written. */
const MISSING = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EINVAL'];

/**
 * The paths that a program reaches with `path` from the real directory `from`: link by link as the kernel goes, also where the last
 * parts do not exist yet, and each match where it has a pattern of the shell in it.
 *
 * @throws UnclearPathError
 */
export async function toRealPaths(path: string, from: string): Promise<readonly string[]> {
  const absolute = parse(path).root !== '';
  let paths: readonly string[] = [absolute ? parse(path).root : from];
  for (const part of path.slice(parse(path).root.length).split(/[\\/]+/)) {
    const next = await Promise.all(paths.map((base) => step(base, part)));
    paths = [...new Set(next.flat())];
    if (paths.length > MAX_MATCHES) throw new UnclearPathError(`more than ${MAX_MATCHES} files match`);
  }
  return paths;
}

/** The one path, with every link followed. @throws UnclearPathError */
export async function toRealPath(path: string): Promise<string> {
  let real = parse(path).root;
  for (const part of resolve(path)
    .slice(real.length)
    .split(/[\\/]+/)) {
    real = part === '' ? real : await followLinks(join(real, part), 0);
  }
  return real;
}

async function step(base: string, part: string): Promise<readonly string[]> {
  if (part === '' || part === '.') return [base];
  if (part === '..') return [dirname(base)];
  const literal = await followLinks(join(base, part), 0);
  if (!/[*?[]/.test(part)) return [literal];
  const matches = await listMatches(base, part);
  const followed = await Promise.all(matches.map((name) => followOpenable(join(base, name))));
  return [literal, ...followed.flat()];
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

/** What cannot be followed here cannot be opened by a program that meets it among others. */
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
    throw new UnclearPathError(`${path} cannot be looked at (${code})`, { cause: error });
  }
}

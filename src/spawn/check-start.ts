import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import type { SpawnRequest } from './backend.ts';
import { findLongArgument, findNulByte } from './command-line.ts';
import { findProgram } from './find-program.ts';

/**
 * Returns the error that `spawn` would report of a command; `null` without one. To be called where the command is started by
 * another program, whose complaint would hide the error.
 */
export function findStartError(
  [file]: readonly [file: string, ...args: readonly string[]],
  { work, cwd, env }: Pick<SpawnRequest, 'work' | 'cwd' | 'env'>,
): Error | null {
  return (
    findNulByte({ work, env }) ??
    findBadDirectory(cwd) ??
    findLongArgument({ work, env }) ??
    findBadProgram(file, { cwd, env })
  );
}

function findBadDirectory(cwd: string): Error | null {
  try {
    if (!statSync(cwd).isDirectory()) return failure('ENOTDIR', cwd);
    accessSync(cwd, constants.X_OK);
    return null;
  } catch (error) {
    return error as Error;
  }
}

/** Search path of execvp(3) without PATH. */
const defaultPath = '/bin:/usr/bin';

function findBadProgram(
  file: string,
  { cwd, env }: Pick<SpawnRequest, 'cwd' | 'env'>,
): NodeJS.ErrnoException | null {
  const found = findProgram(file, { path: env['PATH'] ?? defaultPath, cwd });
  if (typeof found !== 'string') return found;
  const interpreter = readInterpreter(found);
  if (interpreter === null) return null;
  const foundInterpreter = findProgram(`${interpreter}`, { path: '', cwd });
  return typeof foundInterpreter === 'string' ? null : failure(foundInterpreter.code ?? 'ENOENT', file);
}

/** Returns the program that a script names in its first line; `null` without one, or where the file cannot be read. */
function readInterpreter(path: string): string | null {
  let fd: number | null = null;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const beginning = Buffer.alloc(256);
    const length = readSync(fd, beginning);
    return /^#![ \t]*(\/[^ \t\n]*)/.exec(beginning.toString('utf8', 0, length))?.[1] ?? null;
  } catch {
    return null;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

function failure(code: string, file: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`spawn ${file} ${code}`), { code });
}

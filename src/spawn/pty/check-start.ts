import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import type { SpawnRequest } from '../backend.ts';
import { findLongArgument, findNulByte, toCommand } from '../command-line.ts';
import { findProgram } from '../find-program.ts';

export interface PtyCommand {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * Returns the command to run, or the error of its start. A fork succeeds in any case: the command would start, complain on its
 * terminal and end with code 1, so the errors that `spawn` reports have to be found before.
 */
export function checkStart({ work, cwd, env }: SpawnRequest): PtyCommand | Error {
  if (work.type === 'function') return new Error('the pty backend runs commands, not functions');
  const [file, ...args] = toCommand(work, 'pty');
  const command = { file, args };
  return (
    findNulByte({ work, env }) ??
    findBadDirectory(cwd) ??
    findLongArgument({ work, env }) ??
    findBadProgram(command, { cwd, env }) ??
    command
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
  { file }: PtyCommand,
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

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { quote } from '../../config/quote.ts';
import { type CliIo, complain, say } from '../cli-io.ts';
import { exitCodes } from '../exit-code.ts';
import { createPage } from '../render/page.ts';
import { ignoredLine, projectFiles } from './project-files.ts';

export interface InitOptions {
  /** Relative to `io.cwd`. */
  readonly directory: string;
  readonly overwrites: boolean;
  readonly io: CliIo;
}

/** Writes a project: all of its files or, where one is there already, none. @returns the exit code. */
export function initProject({ directory, overwrites, io }: InitOptions): number {
  const target = resolve(io.cwd, directory);
  try {
    const problem = findProblem(target, { overwrites });
    if (problem !== null) {
      complain(io, ...problem);
      return exitCodes.failed;
    }
    writeProject(target);
  } catch (error) {
    complain(io, `${quote(target)} cannot be written: ${toWriteError(error)}.`, elsewhere);
    return exitCodes.failed;
  }
  sayDone(target, io);
  return exitCodes.done;
}

const elsewhere = 'Name a directory of yours: troupe init <directory>';

/** Why nothing is written, and what to do. */
function findProblem(target: string, { overwrites }: { overwrites: boolean }): readonly string[] | null {
  const paths = Object.keys(projectFiles);
  const obstacle = paths
    .map((path) => findObstacle(dirname(join(target, path))))
    .find((file) => file !== null);
  if (obstacle !== undefined) {
    return [`${quote(obstacle)} is a file, and a directory is needed in its place.`, elsewhere];
  }
  const present = paths.filter((path) => existsSync(join(target, path)));
  if (present.length === 0 || overwrites) return null;
  return [
    `nothing was written: ${present.join(' and ')} ${present.length === 1 ? 'is' : 'are'} there already.`,
    `To overwrite ${present.length === 1 ? 'it' : 'them'}: troupe init --force. Or name another directory: troupe init <directory>`,
  ];
}

/** The nearest part of a path that is there, if it is no directory. */
function findObstacle(path: string): string | null {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there !== undefined) return there.isDirectory() ? null : path;
  return dirname(path) === path ? null : findObstacle(dirname(path));
}

function writeProject(target: string): void {
  for (const [path, text] of Object.entries(projectFiles)) {
    const file = join(target, path);
    makeDirectory(dirname(file));
    writeFileSync(file, text);
  }
  addIgnoredLine(join(target, '.gitignore'));
}

/** Step by step: where nothing can be made, such as in /proc, Node's own recursive way never returns. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  mkdirSync(path);
}

/** A list of ignored files is not overwritten: the line is added to it. */
function addIgnoredLine(file: string): void {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (before.split(/\r?\n/).includes(ignoredLine)) return;
  const separator = before === '' || before.endsWith('\n') ? '' : '\n';
  writeFileSync(file, `${before}${separator}${ignoredLine}\n`);
}

const writeErrors: Readonly<Record<string, string>> = {
  EACCES: 'there is no permission',
  EPERM: 'there is no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOENT: 'no directory can be made there',
  ENOTDIR: 'a part of the path is a file',
  EISDIR: 'a directory stands where a file is to be written',
};

function toWriteError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return writeErrors[code ?? ''] ?? message;
}

function sayDone(target: string, io: CliIo): void {
  const { paint } = createPage(io.stdout);
  const where = relative(io.cwd, target);
  say(
    io,
    `${paint('green', '✓')} A project with one agent: ${Object.keys(projectFiles).join(', ')}, .gitignore`,
    '',
    'Next:',
    ...(where === '' ? [] : [`  cd ${where.startsWith('..') ? target : where}`]),
    `  troupe chat                         ${paint('dim', 'talk with it; without a key a scripted model answers')}`,
    `  export OPENAI_API_KEY=…             ${paint('dim', 'a real model; OPENAI_BASE_URL for another endpoint')}`,
    `  troupe exec assistant --task "…"    ${paint('dim', 'one thing to do, one answer')}`,
  );
}

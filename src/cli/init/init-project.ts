import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { quote } from '../../config/quote.ts';
import { type CliIo, printError, printLines, toProgramName } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { toErrnoText } from '../print-fault.ts';
import { createPage } from '../render/page.ts';
import { ignoredLine, toProjectFiles } from './project-files.ts';

export interface InitOptions {
  /** Relative to `io.cwd`. */
  readonly directory: string;
  readonly overwrites: boolean;
  readonly io: CliIo;
}

/** Writes a project: all of its files or, where one is there already, none. @returns the exit code. */
export function initProject({ directory, overwrites, io }: InitOptions): number {
  const target = resolve(io.cwd, directory);
  const program = toProgramName(io.env);
  const files = toProjectFiles(program);
  try {
    const problem = findProblem(target, { paths: Object.keys(files), overwrites, program });
    if (problem !== null) {
      printError(io, ...problem);
      return exitCodes.failed;
    }
    writeProject(target, files);
  } catch (error) {
    printError(io, `${quote(target)} cannot be written: ${toWriteError(error)}.`, elsewhere(program));
    return exitCodes.failed;
  }
  sayDone(target, { paths: Object.keys(files), program, io });
  return exitCodes.done;
}

const elsewhere = (program: string) => `Name a directory of yours: ${program} init <directory>`;

/** Why nothing is written, and what to do. */
function findProblem(
  target: string,
  { paths, overwrites, program }: { paths: readonly string[]; overwrites: boolean; program: string },
): readonly string[] | null {
  const obstacle = paths
    .map((path) => findObstacle(dirname(join(target, path))))
    .find((file) => file !== null);
  if (obstacle !== undefined) {
    return [`${quote(obstacle)} is a file, and a directory is needed in its place.`, elsewhere(program)];
  }
  const present = paths.filter((path) => existsSync(join(target, path)));
  if (present.length === 0 || overwrites) return null;
  return [
    `nothing was written: ${present.join(' and ')} ${present.length === 1 ? 'is' : 'are'} there already.`,
    `To overwrite ${present.length === 1 ? 'it' : 'them'}: ${program} init --force. Or name another directory: ${program} init <directory>`,
  ];
}

/** The nearest part of a path that is there, if it is no directory. */
function findObstacle(path: string): string | null {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there !== undefined) return there.isDirectory() ? null : path;
  return dirname(path) === path ? null : findObstacle(dirname(path));
}

function writeProject(target: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
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

function toWriteError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? 'no directory can be made there' : (toErrnoText({ code }) ?? message);
}

function sayDone(
  target: string,
  { paths, program, io }: { paths: readonly string[]; program: string; io: CliIo },
): void {
  const { paint } = createPage(io.stdout);
  const where = relative(io.cwd, target);
  const steps = [
    [`${program} chat`, 'talk with it; without a key a scripted model answers'],
    ['export OPENAI_API_KEY=…', 'a real model; OPENAI_BASE_URL for another endpoint'],
    [`${program} exec assistant --task "…"`, 'one thing to do, one answer'],
  ] as const;
  const room = Math.max(...steps.map(([step]) => step.length)) + 4;
  printLines(
    io,
    `${paint('green', '✓')} A project with one agent: ${paths.join(', ')}, .gitignore`,
    '',
    'Next:',
    ...(where === '' ? [] : [`  cd ${where.startsWith('..') ? target : where}`]),
    ...steps.map(([step, says]) => `  ${step.padEnd(room)}${paint('dim', says)}`),
  );
}

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { quote } from '../../config/quote.ts';
import { type CliIo, printError, printLines, toProgramName } from '../cli-io.ts';
import { toDefaultAgentText } from '../default-agent.ts';
import { toErrnoText } from '../errno-text.ts';
import { exitCodes } from '../exit-codes.ts';
import { createPage } from '../render/page.ts';
import type { DefineVerb } from '../verb.ts';

/** Defines `troupe init`. */
export const define: DefineVerb = (command, { io, end }) => {
  command
    .description('Creates a project with one agent: agents/assistant.yaml, README.md and .gitignore.')
    .argument('[directory]', 'where; it is created if need be', '.')
    .option('-f, --force', 'overwrite existing files')
    .action((directory, { force = false }) => end(initProject({ directory, overwrites: force, io })));
};

export interface InitOptions {
  /** Relative to `io.cwd`. */
  readonly directory: string;
  readonly overwrites: boolean;
  readonly io: CliIo;
}

/** Writes all files of a project, or none where one of them exists already. @returns the exit code. */
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
    printError(io, `${quote(target)} cannot be written: ${toWriteError(error)}.`, toAdvice(program));
    return exitCodes.failed;
  }
  printNextSteps(target, { paths: Object.keys(files), program, io });
  return exitCodes.done;
}

/** The files of a project with their texts, by path. */
function toProjectFiles(program: string): Readonly<Record<string, string>> {
  return {
    'agents/assistant.yaml': toDefaultAgentText(program),
    'README.md': `# A project with an agent

- \`agents/assistant.yaml\` defines the agent: its model, its permissions, how long its commands may take.
- \`${program} chat\` talks with it. \`${program} exec assistant --task "…"\` gives it one task and prints the answer.
- \`.troupe/\` keeps its conversations and the output of its processes; it does not belong into version control.

Without a key a small scripted model answers. For a real one:

    export OPENAI_API_KEY=…      # and OPENAI_BASE_URL for another endpoint
    ${program} chat                  # --model.name=… for another model than the file says
`,
  };
}

/** Keeps conversations and output out of version control. */
const ignoredLine = '.troupe/';

const toAdvice = (program: string) => `Name a directory of yours: ${program} init <directory>`;

/** Says why nothing is written, and what to do. */
function findProblem(
  target: string,
  { paths, overwrites, program }: { paths: readonly string[]; overwrites: boolean; program: string },
): readonly string[] | null {
  const obstacle = paths
    .map((path) => findObstacle(dirname(join(target, path))))
    .find((file) => file !== null);
  if (obstacle !== undefined) {
    return [`${quote(obstacle)} is a file, and a directory is needed in its place.`, toAdvice(program)];
  }
  const present = paths.filter((path) => existsSync(join(target, path)));
  if (present.length === 0 || overwrites) return null;
  const isOne = present.length === 1;
  return [
    `nothing was written: ${present.join(' and ')} ${isOne ? 'exists' : 'exist'} already.`,
    `To overwrite ${isOne ? 'it' : 'them'}: ${program} init --force. Or name another directory: ${program} init <directory>`,
  ];
}

/** Returns the nearest existing part of a path where that is not a directory. */
function findObstacle(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined) return stats.isDirectory() ? null : path;
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

/** Creates parents one by one: Node's own recursive way never returns where none can be made, such as in /proc. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  mkdirSync(path);
}

/** Adds the line to a list of ignored files, which is never overwritten. */
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

function printNextSteps(
  target: string,
  { paths, program, io }: { paths: readonly string[]; program: string; io: CliIo },
): void {
  const { paint } = createPage(io.stdout);
  const where = relative(io.cwd, target);
  const steps = [
    [`${program} chat`, 'talk with it; without a key a scripted model answers'],
    ['export OPENAI_API_KEY=…', 'a real model; OPENAI_BASE_URL for another endpoint'],
    [`${program} exec assistant --task "…"`, 'one task, one answer'],
  ] as const;
  const room = Math.max(...steps.map(([step]) => step.length)) + 4;
  printLines(
    io,
    `${paint('green', '✓')} A project with one agent: ${paths.join(', ')}, .gitignore`,
    '',
    'Next:',
    ...(where === '' ? [] : [`  cd ${where.startsWith('..') ? target : where}`]),
    ...steps.map(([step, about]) => `  ${step.padEnd(room)}${paint('dim', about)}`),
  );
}

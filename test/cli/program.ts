import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { bundledProgram, carriers, commandOf, endAll, tempDir, waitUntil } from '../support/os.ts';

/** Within so long a program that was started has done its first step, also on a busy machine. */
export const STARTED_WITHIN_MS = 60_000;

/** The program from its sources, in which each module is a file. */
export const sourceFile = join(import.meta.dirname, '../../src/cli/main.ts');

/** The program, bundled once for all tests (see `bundle-programs.ts`). */
export const mainFile: string = bundledProgram('cli/main.js') ?? sourceFile;

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramInput {
  /** Written to stdin, which then ends. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface ProgramOptions extends ProgramInput {
  readonly cwd: string;
  /** Flags of Node itself. */
  readonly node?: readonly string[];
  readonly program?: string;
}

/** The environment of a person without keys and without wishes for colours. */
export function cleanEnvironment(own: Readonly<Record<string, string>> = {}): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name, value]) =>
      value !== undefined &&
      !/^(OPENAI_|npm_|TROUPE_(DEPTH|MAX_DEPTH|POLICY)|NO_COLOR|FORCE_COLOR|TMUX)/.test(name),
  );
  // As in a shell: otherwise bash takes a socket for a network login and reads the user's ~/.bashrc.
  return { ...(Object.fromEntries(kept) as Record<string, string>), SHLVL: '1', ...own };
}

/** Starts the real program. */
export function startProgram(
  args: readonly string[],
  { cwd, input = '', env = {}, node = [], program = mainFile }: ProgramOptions,
) {
  const child = spawn(process.execPath, [...node, program, ...args], { cwd, env: cleanEnvironment(env) });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const ran = Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { child, ran: ran.then(([code, stdout, stderr]): Ran => ({ code, stdout, stderr })) };
}

export function runProgram(args: readonly string[], options: ProgramOptions): Promise<Ran> {
  return startProgram(args, options).ran;
}

function isCommand(pid: number): boolean {
  const words = commandOf(pid);
  return words.length > 0 && !words.includes(mainFile) && !words.includes('troupe-watchdog');
}

/** A directory for a project, and a mark that everything started there carries; at the end nothing of either is left. */
export function projectDir() {
  const folder = tempDir();
  const lineage = `/test_${randomUUID()}/`;
  return {
    path: folder.path,
    file: folder.file,
    env: { TROUPE_LINEAGE: lineage },
    /** Waits for a process that is neither the program, nor a fork of it before `exec`, nor its watchdog. */
    started: () =>
      waitUntil(() => carriers(lineage).some(isCommand), {
        withinMs: STARTED_WITHIN_MS,
        what: 'a command runs',
      }),
    gone: () =>
      waitUntil(() => carriers(lineage).length === 0, {
        withinMs: STARTED_WITHIN_MS,
        what: 'everything that was started is gone',
      }),
    async [Symbol.asyncDispose]() {
      await endAll([], lineage);
      folder.remove();
    },
  };
}

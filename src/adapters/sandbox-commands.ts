import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { ExitStatus } from '../../machines/process/context.ts';
import { parseOptions } from '../config/parse-options.ts';
import { quote } from '../config/quote.ts';
import { toSignalCode } from '../config/signal-name.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { isInside, toRealPath } from '../policy/workspace/real-path.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import { hasLiveMembers } from '../process/process-view.ts';
import { defineTool } from '../tools/define-tool.ts';
import { createToolHost, type ToolHostOptions } from '../tools/tool-host.ts';

/** Options of a sandbox for another framework. */
export interface SandboxOptions
  extends Pick<ToolHostOptions, 'supervisor' | 'owner' | 'policy' | 'ask' | 'agent'> {
  /**
   * Directory in which commands run, and outside of which none begins; a relative path is resolved against the directory of the supervisor,
   * which is the default. It must exist.
   */
  readonly directory?: string | undefined;
}

/** A command for the shell. */
export interface SandboxCommand {
  readonly command: string;
  /** Directory of the command, inside that of the sandbox. Default: the directory of the sandbox. */
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** True for a pipe that can be written; otherwise the command reads an empty input. */
  readonly stdin?: boolean | undefined;
  /** Time in milliseconds after which the process is killed with its tree; 0 or `undefined` for none. */
  readonly timeout?: number | undefined;
  /** Kills the process with its tree when aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** Commands in one directory, as supervised processes of one owner under a policy. No notice reports their ends. */
export interface SandboxCommands {
  readonly owner: string;
  /** Absolute path of the directory. */
  readonly directory: string;
  /** Sentence for a model. */
  readonly description: string;
  /** Resolves a path, following links. @throws TroupeError `invalid-option`, as a rejection, for a path that leads outside of the directory. */
  confine(path: string): Promise<string>;
  /**
   * Starts a command and resolves with what `attach` returns for its process; `attach` is called before any output can have been dropped.
   *
   * @throws Error, as a rejection, for a command that was refused, with the reason; the reason of an aborted signal.
   */
  start<T>(command: SandboxCommand, attach: (handle: ProcessHandle) => T): Promise<T>;
  /** Kills all that still run, with their trees and what ended commands have left. */
  killAll(): Promise<void>;
  /** Does the same, and refuses further commands. The supervisor stays. */
  close(): Promise<void>;
}

/** `name` is the function named in errors. @throws TroupeError `invalid-option` */
export function createSandboxCommands(
  { directory: given, ...options }: SandboxOptions,
  name: string,
): SandboxCommands {
  const directory = toDirectory(given, { name, base: options.supervisor.cwd });
  const host = createToolHost({ ...options, tools: [sandboxCommand], notices: 'none' });
  const killable = new Set<ProcessHandle>();
  let isClosed = false;

  const confine = async (path: string) => {
    const [folder, real] = [await toRealPath(directory), await toRealPath(resolve(directory, path))];
    if (isInside(real, folder)) return real;
    const message = `${quote(path)} is outside ${folder}, the directory of this sandbox. Use a path inside it.`;
    throw new TroupeError({ code: 'invalid-option', message });
  };
  const killAll = async () => void (await Promise.all([...killable].map((handle) => handle.kill())));
  return {
    owner: host.owner,
    directory,
    description: `Commands run in ${directory}.`,
    confine,
    start: async <T>(
      { command, cwd = '.', signal, ...more }: SandboxCommand,
      attach: (handle: ProcessHandle) => T,
    ) => {
      signal?.throwIfAborted();
      if (isClosed) throw new Error(`The sandbox is closed, so ${quote(command)} was not started.`);
      const input = { command, cwd: await confine(cwd), ...more };
      const attached: T[] = [];
      const onProcess = (handle: ProcessHandle) => {
        killable.add(handle);
        void handle.ended.then((view) => hasLiveMembers(view) || killable.delete(handle));
        attached.push(attach(handle));
      };
      const { answer } = await host.call({ name: sandboxCommand.name, input }, { signal, onProcess });
      const [result] = attached;
      if (result !== undefined) return result;
      signal?.throwIfAborted();
      throw new Error(answer.ok ? `${quote(command)} was not started.` : answer.error);
    },
    killAll,
    close: async () => {
      isClosed = true;
      await host.close();
      await killAll();
    },
  };
}

/** Returns the exit code; 128 + n after signal n; `null` where there was no exit. */
export function toExitCode(exit: ExitStatus | null): number | null {
  if (exit?.code != null) return exit.code;
  return exit?.signal == null ? null : toSignalCode(exit.signal);
}

/** Starts a command of the sandbox. A tool, so that the host applies its policy. */
const sandboxCommand = defineTool({
  name: 'sandbox_command',
  description: 'Runs a command in the sandbox.',
  permission: 'start',
  input: z.strictObject({
    command: z.string().min(1),
    cwd: z.string(),
    env: z.record(z.string(), z.string().optional()).optional(),
    stdin: z.boolean().optional(),
    timeout: z.number().nonnegative().optional(),
  }),
  intend: ({ command, cwd }) => ({ permission: 'start', start: { command, cwd } }),
  execute: async ({ command, cwd, env, stdin, timeout }, context) => {
    await context.start({
      command,
      cwd,
      env,
      maxBackgroundTime: timeout,
      background: true,
      // Killed with its tree once the caller aborts, also after the call.
      signal: context.interrupt,
      ...(stdin === true && { stdin: 'pipe' }),
    });
    return { ok: true, data: null };
  },
});

function toDirectory(
  directory: unknown,
  { name, base }: { readonly name: string; readonly base: string },
): string {
  const path = z.string().min(1).default(base);
  const existing = path.check(({ value, issues }) => {
    const obstacle = findObstacle(resolve(base, value));
    if (obstacle === null) return;
    const message = `a directory that exists, and ${quote(resolve(base, value))} ${obstacle}`;
    issues.push({ code: 'custom', message, input: value });
  });
  const options = parseOptions(z.object({ directory: existing }), { input: { directory }, name });
  return resolve(base, options.directory);
}

/** Returns why a path cannot be the directory of commands, or `null`. */
function findObstacle(path: string): string | null {
  try {
    return statSync(path).isDirectory() ? null : 'is not a directory';
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    return ['ENOENT', 'ENOTDIR'].includes(code) ? 'does not exist' : `cannot be read (${code})`;
  }
}

import { StringDecoder } from 'node:string_decoder';
import type { WriteResult } from '../../machines/process/events.ts';
import { formatDuration } from '../config/format-duration.ts';
import { describeEnd } from '../process/describe-end.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { FinalView } from '../process/process-view.ts';
import {
  createSandboxCommands,
  type SandboxCommands,
  type SandboxOptions,
  toExitCode,
} from './sandbox-commands.ts';

/** Classes of `@mastra/core/workspace`, which the adapter does not import. */
export interface MastraSandboxParts<Sandbox extends MastraSandboxBase> {
  readonly MastraSandbox: abstract new (options: {
    readonly name: string;
    readonly workingDirectory: string;
    readonly processes: never;
  }) => Sandbox;
  readonly SandboxProcessManager: abstract new () => MastraProcessesBase;
  readonly ProcessHandle: abstract new (options?: MastraRetention) => MastraProcessBase;
}

/** The members of `MastraSandbox` that the adapter extends. */
export interface MastraSandboxBase {
  start(): Promise<unknown>;
  stop(): Promise<void>;
  destroy(): Promise<void>;
}

/** The members of `SandboxProcessManager` that the adapter extends. The manager itself tracks no processes here. */
export interface MastraProcessesBase {
  release(pid: string): void;
}

/** The members of `ProcessHandle` that the adapter extends. The handle buffers the output and forwards it. */
export interface MastraProcessBase {
  readonly stdout: string;
  readonly stderr: string;
  emitStdout(data: string): void;
  emitStderr(data: string): void;
}

/** Options of a spawn that `ProcessHandle` itself handles. */
export interface MastraRetention {
  readonly maxRetainedBytes?: number;
  readonly onStdout?: (data: string) => void;
  readonly onStderr?: (data: string) => void;
}

/** Options of a spawn, as far as they are read. */
interface Spawn extends MastraRetention {
  readonly timeout?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly abortSignal?: AbortSignal;
  readonly stdinMode?: 'pipe' | 'ignore';
}

/** Exit code of `timeout(1)`, which Mastra uses for a process that exceeded its timeout. */
const TIMED_OUT = 124;

/** Exit code that Mastra uses for a process without an exit. */
const NO_EXIT = 1;

/**
 * Creates the sandbox of a `Workspace` of Mastra. Its commands and background processes are supervised processes of `owner`, judged by the
 * policy; their `pid` is the id of the process. A kill, an abort and a timeout end the whole tree: SIGTERM, then SIGKILL at the end of the
 * grace. `stop` and `destroy` kill all that still run; the supervisor stays. No notice reports an end. No command begins outside the
 * directory, but it can reach everything that the user can, unless the policy has `sandbox: 'require'`.
 *
 * @throws TroupeError `invalid-option`
 *
 * @example
 * ```ts
 * const parts = { MastraSandbox, SandboxProcessManager, ProcessHandle };
 * const workspace = new Workspace({ sandbox: createMastraSandbox({ supervisor, policy: { mode: 'auto' } }, parts) });
 * const agent = new Agent({ id, name, instructions, model, workspace });
 * ```
 */
export function createMastraSandbox<Sandbox extends MastraSandboxBase>(
  options: SandboxOptions,
  { MastraSandbox, ...parts }: MastraSandboxParts<Sandbox>,
): Sandbox {
  const commands = createSandboxCommands(options, 'createMastraSandbox');
  const Base: abstract new (options: never) => MastraSandboxBase = MastraSandbox;
  class TroupeSandbox extends Base {
    readonly id = `troupe-${commands.owner}`;
    readonly name = 'Troupe';
    readonly provider = 'troupe';
    status = 'pending';

    constructor() {
      const processes = createProcesses(commands, parts);
      super({ name: 'Troupe', workingDirectory: commands.directory, processes } as never);
    }

    // Nothing needs to be prepared, but Mastra expects a method.
    override async start(): Promise<void> {}
    override async stop(): Promise<void> {
      await commands.killAll();
    }
    override async destroy(): Promise<void> {
      await commands.close();
    }
    getInstructions(): string {
      return commands.description;
    }
  }
  return new TroupeSandbox() as MastraSandboxBase as Sandbox;
}

/** Creates the process manager of a sandbox. */
function createProcesses(
  commands: SandboxCommands,
  {
    SandboxProcessManager,
    ProcessHandle: Base,
  }: Omit<MastraSandboxParts<MastraSandboxBase>, 'MastraSandbox'>,
): MastraProcessesBase {
  const Process = extendProcess(Base);
  const spawned = new Map<string, InstanceType<typeof Process>>();
  class TroupeProcesses extends SandboxProcessManager {
    async spawn(command: string, { cwd, env, timeout, abortSignal, ...more }: Spawn = {}) {
      const process = await commands.start(
        { command, cwd, env, timeout, signal: abortSignal, stdin: more.stdinMode !== 'ignore' },
        (handle) => new Process(handle, more),
      );
      spawned.set(process.pid, process);
      return process;
    }
    async list() {
      return [...spawned.values()].map(({ pid, command, exitCode }) => ({
        pid,
        command,
        running: exitCode === undefined,
        exitCode,
      }));
    }
    /** Forgets a process that has ended, as Mastra's own manager does once its end was seen. */
    async get(pid: string) {
      const process = spawned.get(pid);
      if (process?.exitCode !== undefined) spawned.delete(pid);
      return process;
    }
    override release(pid: string): void {
      super.release(pid);
      spawned.delete(pid);
    }
  }
  return new TroupeProcesses();
}

/** Extends the class of Mastra's handles by one for a process of ours. */
function extendProcess(Base: MastraSandboxParts<MastraSandboxBase>['ProcessHandle']) {
  return class TroupeProcess extends Base {
    readonly pid: string;
    command?: string;
    exitCode: number | undefined;
    readonly #handle: ProcessHandle;
    readonly #result: Promise<ReturnType<TroupeProcess['toResult']>>;

    constructor(handle: ProcessHandle, retention: MastraRetention) {
      super(retention);
      this.pid = handle.id;
      this.#handle = handle;
      this.#result = this.follow();
      // The caller may not wait.
      this.#result.catch(() => {});
    }

    async follow() {
      // Rejected by a callback that throws, perhaps long before the end.
      const [emitted] = await Promise.allSettled([emitOutput(this.#handle, this)]);
      const view = await this.#handle.ended;
      this.exitCode = view.reason.type === 'timed_out' ? TIMED_OUT : (toExitCode(view.exit) ?? NO_EXIT);
      if (emitted.status === 'rejected') throw emitted.reason;
      const problem = describeProblem(view);
      if (problem !== null) this.emitStderr(`\nProcess ${this.pid} ${problem}.`);
      return this.toResult(view, this.exitCode);
    }

    toResult({ runtimeMs, exit, reason }: FinalView, exitCode: number) {
      return {
        success: exitCode === 0,
        exitCode,
        stdout: this.stdout,
        stderr: this.stderr,
        executionTimeMs: runtimeMs,
        killed: exit?.signal != null,
        timedOut: reason.type === 'timed_out',
      };
    }

    wait() {
      return this.#result;
    }

    /** Resolves once the tree is gone, `false` if it was before. */
    async kill(): Promise<boolean> {
      const { type, message } = await this.#handle.kill();
      if (type === 'survived') throw new Error(message);
      return type !== 'notRunning' && type !== 'notFound';
    }

    async sendStdin(data: string): Promise<void> {
      check(await this.#handle.write(data));
    }

    async closeStdin(): Promise<void> {
      check(await this.#handle.endInput());
    }
  };
}

async function emitOutput(handle: ProcessHandle, target: MastraProcessBase): Promise<void> {
  const decoders = { stdout: new StringDecoder(), stderr: new StringDecoder() };
  const emit = { stdout: target.emitStdout.bind(target), stderr: target.emitStderr.bind(target) };
  for await (const { stream, bytes } of handle.output({ lossless: true })) {
    if (stream === 'screen') continue;
    const text = decoders[stream].write(Buffer.from(bytes));
    if (text !== '') emit[stream](text);
  }
  for (const stream of ['stdout', 'stderr'] as const) {
    const rest = decoders[stream].end();
    if (rest !== '') emit[stream](rest);
  }
}

/** Returns what the exit code does not say, as the rest of a sentence. */
function describeProblem({ reason, exit }: FinalView): string | null {
  if (reason.type === 'timed_out') return `was killed at its timeout of ${formatDuration(reason.afterMs)}`;
  return toExitCode(exit) === null ? describeEnd(reason, exit) : null;
}

function check(result: WriteResult): void {
  if (!result.ok) throw new Error(result.error);
}

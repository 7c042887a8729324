import { createReadStream, createWriteStream, type Dirent } from 'node:fs';
import { lstat, mkdir, readdir, readFile, realpath, stat, unlink } from 'node:fs/promises';
import { constants } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { describeEnd } from '../process/describe-end.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import { defineTool } from '../tools/define-tool.ts';
import { createToolHost, type ToolHostOptions } from '../tools/tool-host.ts';

/** Options of `createAiSdkSandbox`. */
export interface AiSdkSandboxOptions
  extends Pick<ToolHostOptions, 'supervisor' | 'owner' | 'policy' | 'ask' | 'agent'> {
  /** Directory of the commands, and of all files that may be read or written. Default: the directory of the supervisor. */
  readonly directory?: string | undefined;
}

/** A path in the sandbox, relative to its directory, or absolute and inside it. */
export interface AiSdkSandboxPath {
  readonly path: string;
  readonly abortSignal?: AbortSignal | undefined;
}

/** A command for the shell. */
export interface AiSdkSandboxCommand {
  readonly command: string;
  /** Inside the directory of the sandbox. */
  readonly workingDirectory?: string | undefined;
  readonly env?: Record<string, string> | undefined;
  /** Aborted: the process is killed with its tree. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** A process of the sandbox. */
export interface AiSdkSandboxProcess {
  readonly pid?: number;
  /** Read from its beginning. A stream that is not read makes nothing wait. */
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  /** Resolves with the exit code; with 128 + n after signal n. Rejects after an abort, and where there was no exit. */
  wait(): Promise<{ exitCode: number }>;
  /** Kills it with its tree. Resolves when all of it is gone. */
  kill(): Promise<void>;
}

/** `Experimental_SandboxSession` of the AI SDK, described structurally, so that the SDK need not be installed. */
export interface AiSdkSandbox extends AsyncDisposable {
  readonly description: string;
  run(options: AiSdkSandboxCommand): Promise<{ exitCode: number; stdout: string; stderr: string }>;
  spawn(
    options: AiSdkSandboxCommand & { readonly stdin: true },
  ): Promise<AiSdkSandboxProcess & AiSdkSandboxInput>;
  spawn(options: AiSdkSandboxCommand & { readonly stdin?: false }): Promise<AiSdkSandboxProcess>;
  spawn(
    options: AiSdkSandboxCommand & { readonly stdin?: boolean },
  ): Promise<AiSdkSandboxProcess | (AiSdkSandboxProcess & AiSdkSandboxInput)>;
  readFile(options: AiSdkSandboxPath): Promise<ReadableStream<Uint8Array> | null>;
  readBinaryFile(options: AiSdkSandboxPath): Promise<Uint8Array | null>;
  readTextFile(
    options: AiSdkSandboxPath & {
      readonly encoding?: string;
      readonly startLine?: number;
      readonly endLine?: number;
    },
  ): Promise<string | null>;
  writeFile(options: AiSdkSandboxPath & { readonly content: ReadableStream<Uint8Array> }): Promise<void>;
  writeBinaryFile(options: AiSdkSandboxPath & { readonly content: Uint8Array }): Promise<void>;
  writeTextFile(
    options: AiSdkSandboxPath & { readonly content: string; readonly encoding?: string },
  ): Promise<void>;
  stat(options: AiSdkSandboxPath): Promise<{ type: 'file' | 'directory' | 'other'; size: number } | null>;
  listDirectory(
    options: AiSdkSandboxPath,
  ): Promise<{ name: string; type: 'file' | 'directory' | 'symlink' | 'other' }[] | null>;
  deleteFile(options: AiSdkSandboxPath): Promise<boolean>;
  /** Kills the processes of the sandbox that still run, and refuses further commands. The supervisor stays. */
  close(): Promise<void>;
}

/** Input of a process that was spawned with `stdin: true`. */
export interface AiSdkSandboxInput {
  readonly stdin: WritableStream<Uint8Array>;
}

/**
 * Makes a sandbox session for `experimental_sandbox` of the AI SDK. Each command is a supervised process of `owner`, judged by the policy; the
 * SDK's tools wait for it, so it has no notice. Files outside the directory are refused, also through links. It is as strong as
 * the policy: with `sandbox: 'required'` commands run in a sandbox of the operating system, without it they can reach what this user can.
 *
 * @throws TroupeError `invalid-option`
 *
 * @example
 * ```ts
 * await using sandbox = createAiSdkSandbox({ supervisor, policy: { mode: 'auto' } });
 * await generateText({ model, prompt, tools, experimental_sandbox: sandbox });
 * ```
 */
export function createAiSdkSandbox({ directory, ...options }: AiSdkSandboxOptions): AiSdkSandbox {
  const { supervisor } = options;
  const base = resolve(supervisor.cwd, directory ?? '.');
  const host = createToolHost({ ...options, tools: [sandboxCommand], notices: 'none' });
  const at = (path: string) => confine(path, base);
  const live = new Set<ProcessHandle>();
  let isClosed = false;

  const start = async (
    given: AiSdkSandboxCommand & { readonly stdin?: boolean },
    onStart: (handle: ProcessHandle) => void = () => {},
  ): Promise<ProcessHandle> => {
    const { command, workingDirectory = '.', env, stdin = false, abortSignal } = given;
    abortSignal?.throwIfAborted();
    if (isClosed) throw new Error(`The sandbox is closed, so ${quote(command)} was not started.`);
    const cwd = await at(workingDirectory);
    let handle = null as ProcessHandle | null;
    const input = { command, cwd, stdin, ...(env !== undefined && { env }) };
    const { answer } = await host.call(
      { name: sandboxCommand.name, input },
      {
        signal: abortSignal,
        onProcess: (started) => {
          handle = started;
          onStart(started);
        },
      },
    );
    if (handle === null) throw new Error(answer.ok ? `${quote(command)} was not started.` : answer.error);
    const started = handle;
    live.add(started);
    const kill = () => void started.kill({ by: 'agent' });
    if (abortSignal?.aborted === true) kill();
    abortSignal?.addEventListener('abort', kill, { once: true });
    void started.ended.then(() => {
      live.delete(started);
      abortSignal?.removeEventListener('abort', kill);
    });
    return started;
  };
  const wait = async (handle: ProcessHandle, signal: AbortSignal | undefined) => {
    const { exit, reason } = await handle.ended;
    signal?.throwIfAborted();
    if (exit?.code != null) return { exitCode: exit.code };
    if (exit?.signal != null) return { exitCode: 128 + constants.signals[exit.signal as NodeJS.Signals] };
    throw new Error(`Process ${handle.id} ${describeEnd(reason, exit)}.`);
  };
  const write = async (path: string, content: Readable) => {
    const target = await at(path);
    await mkdir(dirname(target), { recursive: true });
    await pipeline(content, createWriteStream(target));
  };
  const close = async () => {
    isClosed = true;
    await host.close();
    await Promise.all([...live].map((handle) => handle.kill()));
  };
  const spawn = async (given: AiSdkSandboxCommand & { readonly stdin?: boolean }) => {
    const handle = await start(given);
    const view = handle.view();
    return {
      ...('pid' in view && view.pid !== null && { pid: view.pid }),
      stdout: toLazyStream(handle, 'stdout'),
      stderr: toLazyStream(handle, 'stderr'),
      wait: () => wait(handle, given.abortSignal),
      kill: async () => void (await handle.kill()),
      ...(given.stdin === true && { stdin: handle.stdin as WritableStream<Uint8Array> }),
    };
  };

  return {
    description: `Commands run in ${base}, which has the files. Absolute paths outside it are refused.`,
    run: async (given) => {
      // From its first byte: a fast command would lose some until the call returns.
      const texts: ReturnType<typeof collect>[] = [];
      const handle = await start(given, (started) => void texts.push(collect(started)));
      const [{ exitCode }, [text]] = await Promise.all([wait(handle, given.abortSignal), Promise.all(texts)]);
      return { exitCode, stdout: '', stderr: '', ...text };
    },
    spawn: spawn as AiSdkSandbox['spawn'],
    readFile: async ({ path, abortSignal: signal }) => {
      const target = await at(path);
      if ((await orNull(stat(target))) === null) return null;
      return Readable.toWeb(createReadStream(target, { signal })) as ReadableStream<Uint8Array>;
    },
    readBinaryFile: async ({ path, abortSignal: signal }) => {
      const bytes = await orNull(readFile(await at(path), { signal }));
      return bytes && new Uint8Array(bytes);
    },
    readTextFile: async ({ path, abortSignal: signal, encoding = 'utf-8', startLine = 1, endLine }) => {
      const bytes = await orNull(readFile(await at(path), { signal }));
      if (bytes === null) return null;
      const text = new TextDecoder(encoding).decode(bytes);
      return startLine === 1 && endLine === undefined
        ? text
        : toLines(text)
            .slice(startLine - 1, endLine)
            .join('');
    },
    writeFile: ({ path, content }) => write(path, Readable.fromWeb(content as never)),
    writeBinaryFile: ({ path, content }) => write(path, Readable.from([content])),
    writeTextFile: ({ path, content, encoding = 'utf-8' }) =>
      write(path, Readable.from([Buffer.from(content, encoding as BufferEncoding)])),
    stat: async ({ path }) => {
      const found = await orNull(stat(await at(path)));
      return found && { type: toType(found) as 'file' | 'directory' | 'other', size: found.size };
    },
    listDirectory: async ({ path }) => {
      const entries = await orNull(readdir(await at(path), { withFileTypes: true }), ['ENOENT']);
      const toEntryType = (entry: Dirent) => (entry.isSymbolicLink() ? 'symlink' : toType(entry));
      return entries?.map((entry) => ({ name: entry.name, type: toEntryType(entry) })) ?? null;
    },
    deleteFile: async ({ path }) => {
      // The link itself, not its target.
      const target = join(await at(dirname(resolve(base, path))), basename(resolve(base, path)));
      return (await orNull(lstat(target))) !== null && (await unlink(target).then(() => true));
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Starts a command of the sandbox; the host judges it, as it judges any tool. */
const sandboxCommand = defineTool({
  name: 'sandbox_command',
  description: 'Runs a command in the sandbox.',
  permission: 'start',
  input: z.strictObject({
    command: z.string().min(1),
    cwd: z.string(),
    env: z.record(z.string(), z.string()).optional(),
    stdin: z.boolean(),
  }),
  intend: ({ command, cwd }) => ({ permission: 'start', start: { command, cwd } }),
  execute: async ({ command, cwd, env, stdin }, context) => {
    await context.start({
      command,
      cwd,
      env,
      background: true,
      force: true,
      ...(stdin && { stdin: 'pipe' }),
    });
    return { ok: true, data: null };
  },
});

/** Returns the real path; for one that does not exist, that of its nearest parent that does, with the rest. */
async function toRealPath(path: string): Promise<string> {
  const real = await orNull(realpath(path));
  if (real !== null || dirname(path) === path) return real ?? path;
  return join(await toRealPath(dirname(path)), basename(path));
}

/** @throws TroupeError `invalid-option` for a path that leads outside. */
async function confine(path: string, base: string): Promise<string> {
  const [inside, real] = [await toRealPath(base), await toRealPath(resolve(base, path))];
  if (real === inside || real.startsWith(inside.endsWith(sep) ? inside : inside + sep)) return real;
  const message = `${quote(path)} is outside ${inside}, the directory of this sandbox. Use a path inside it.`;
  throw new TroupeError({ code: 'invalid-option', message });
}

/** Opened when it is first read, so that a stream that nobody reads keeps no output back. */
function toLazyStream(handle: ProcessHandle, stream: 'stdout' | 'stderr'): ReadableStream<Uint8Array> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | null = null;
  return new ReadableStream(
    {
      pull: async (controller) => {
        reader ??= handle.toWeb({ stream }).getReader();
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await reader?.cancel()),
    },
    { highWaterMark: 0 },
  );
}

async function collect(handle: ProcessHandle): Promise<{ stdout: string; stderr: string }> {
  const chunks = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  for await (const { stream, bytes } of handle.output({ lossless: true }))
    if (stream !== 'screen') chunks[stream].push(bytes.slice());
  return { stdout: Buffer.concat(chunks.stdout).toString(), stderr: Buffer.concat(chunks.stderr).toString() };
}

/** The lines with their line feeds. */
function toLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function toType(entry: { isFile(): boolean; isDirectory(): boolean }): 'file' | 'directory' | 'other' {
  if (entry.isFile()) return 'file';
  return entry.isDirectory() ? 'directory' : 'other';
}

/** Resolves with `null` where the path does not exist. */
async function orNull<T>(
  promise: Promise<T>,
  codes: readonly string[] = ['ENOENT', 'ENOTDIR'],
): Promise<T | null> {
  try {
    return await promise;
  } catch (error) {
    if (codes.includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

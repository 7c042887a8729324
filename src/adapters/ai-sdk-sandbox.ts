import { createReadStream, createWriteStream, type Dirent } from 'node:fs';
import { lstat, mkdir, readdir, readFile, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describeEnd } from '../process/describe-end.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import { createSandboxCommands, type SandboxOptions, toExitCode } from './sandbox-commands.ts';

/** A path in the sandbox, relative to its directory, or absolute and inside it. */
export interface AiSdkSandboxPath {
  readonly path: string;
  readonly abortSignal?: AbortSignal | undefined;
}

/** A command for the shell. */
export interface AiSdkSandboxCommand {
  readonly command: string;
  /** Directory of the command, inside that of the sandbox. Default: the directory of the sandbox. */
  readonly workingDirectory?: string | undefined;
  readonly env?: Record<string, string> | undefined;
  /** Kills the process with its tree when aborted. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** A process of the sandbox. */
export interface AiSdkSandboxProcess {
  readonly pid?: number;
  /** Streams stdout from its first byte. The process does not wait for a stream without a reader. */
  readonly stdout: ReadableStream<Uint8Array>;
  readonly stderr: ReadableStream<Uint8Array>;
  /** Resolves with the exit code; with 128 + n after signal n. Rejects after an abort, and where there was no exit. */
  wait(): Promise<{ exitCode: number }>;
  /** Kills the process with its tree. Resolves when the whole tree is gone. */
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
 * Creates a sandbox session for `experimental_sandbox` of the AI SDK. Each command is a supervised process of `owner`, judged by the policy;
 * no notice reports its end. Files outside the directory are refused, also through links. Commands can reach everything that the user
 * can, unless the policy has `sandbox: 'require'`, which runs them in a sandbox of the operating system.
 *
 * @throws TroupeError `invalid-option`
 *
 * @example
 * ```ts
 * await using sandbox = createAiSdkSandbox({ supervisor, policy: { mode: 'auto' } });
 * await generateText({ model, prompt, tools, experimental_sandbox: sandbox });
 * ```
 */
export function createAiSdkSandbox(options: SandboxOptions): AiSdkSandbox {
  const commands = createSandboxCommands(options, 'createAiSdkSandbox');
  const base = commands.directory;
  const at = ({ path, abortSignal }: AiSdkSandboxPath) => {
    abortSignal?.throwIfAborted();
    return commands.confine(path);
  };
  const start = <T>(
    { workingDirectory, abortSignal, ...more }: AiSdkSandboxCommand & { readonly stdin?: boolean },
    attach: (handle: ProcessHandle) => T,
  ) => commands.start({ ...more, cwd: workingDirectory, signal: abortSignal }, attach);
  const wait = async (handle: ProcessHandle, signal: AbortSignal | undefined) => {
    const { exit, reason } = await handle.ended;
    signal?.throwIfAborted();
    const exitCode = toExitCode(exit);
    if (exitCode === null) throw new Error(`Process ${handle.id} ${describeEnd(reason, exit)}.`);
    return { exitCode };
  };
  const write = async (place: AiSdkSandboxPath, content: Readable) => {
    const target = await at(place);
    const { abortSignal: signal } = place;
    await mkdir(dirname(target), { recursive: true });
    await pipeline(content, createWriteStream(target), { ...(signal && { signal }) });
  };
  const spawn = async (given: AiSdkSandboxCommand & { readonly stdin?: boolean }) => {
    const handle = await start(given, (started) => started);
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
    description: `${commands.description} Files can be read and written inside it only.`,
    run: async (given) => {
      // Reads from the start of the process: a fast command would lose output before the call returns.
      const run = await start(given, (handle) => ({ handle, text: collect(handle) }));
      const [{ exitCode }, text] = await Promise.all([wait(run.handle, given.abortSignal), run.text]);
      return { exitCode, ...text };
    },
    spawn: spawn as AiSdkSandbox['spawn'],
    readFile: async (place) => {
      const target = await at(place);
      if ((await orNull(stat(target))) === null) return null;
      return Readable.toWeb(
        createReadStream(target, { signal: place.abortSignal }),
      ) as ReadableStream<Uint8Array>;
    },
    readBinaryFile: async (place) => {
      const bytes = await orNull(readFile(await at(place), { signal: place.abortSignal }));
      return bytes && new Uint8Array(bytes);
    },
    readTextFile: async ({ encoding = 'utf-8', startLine, endLine, ...place }) => {
      const bytes = await orNull(readFile(await at(place), { signal: place.abortSignal }));
      return bytes && cutLines(new TextDecoder(encoding).decode(bytes), { startLine, endLine });
    },
    writeFile: ({ content, ...place }) => write(place, Readable.fromWeb(content as never)),
    writeBinaryFile: ({ content, ...place }) => write(place, Readable.from([content])),
    writeTextFile: ({ content, encoding = 'utf-8', ...place }) =>
      write(place, Readable.from([Buffer.from(content, encoding as BufferEncoding)])),
    stat: async (place) => {
      const found = await orNull(stat(await at(place)));
      return found && { type: toType(found), size: found.size };
    },
    listDirectory: async (place) => {
      const entries = await orNull(readdir(await at(place), { withFileTypes: true }), ['ENOENT']);
      const toEntryType = (entry: Dirent) => (entry.isSymbolicLink() ? 'symlink' : toType(entry));
      return entries?.map((entry) => ({ name: entry.name, type: toEntryType(entry) })) ?? null;
    },
    deleteFile: async ({ path, abortSignal }) => {
      // A link is deleted itself, so its target is not followed.
      const given = resolve(base, path);
      const target = join(await at({ path: dirname(given), abortSignal }), basename(given));
      return (await orNull(lstat(target))) !== null && (await unlink(target).then(() => true));
    },
    close: commands.close,
    [Symbol.asyncDispose]: commands.close,
  };
}

/** Opens the output at the first read: a stream without a reader must not hold output back. */
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

/** Returns these lines of a text, both included, as the SDK cuts them: without the end of the last line. */
function cutLines(
  text: string,
  {
    startLine = 1,
    endLine,
  }: { readonly startLine: number | undefined; readonly endLine: number | undefined },
): string {
  const ending = text.includes('\r\n') ? '\r\n' : '\n';
  return text
    .split(ending)
    .slice(startLine - 1, endLine)
    .join(ending);
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

import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import type { ExitStatus, ProcessSignal } from '../../../machines/process/context.ts';
import type { TerminalSize } from '../../../machines/process/terminal.ts';
import { toSignalName } from '../../config/signal-name.ts';
import type { SpawnRequest } from '../backend.ts';
import { hideMaster, openMasters } from '../start-child.ts';
import type { NativePty, PtyCommand } from './native-pty.ts';
import { startWithSetsid } from './start-with-setsid.ts';

/** Leader of a terminal together with our end of the terminal. */
export interface PtyChild {
  readonly pid: number;
  /** Resolves after the turn of the start; `null` where the exit is unknown. */
  readonly exited: Promise<ExitStatus | null>;
  /**
   * Starts reading. Must be called once. `onClosed` is called once the leader has exited, no process holds the terminal, and
   * everything was read.
   */
  read(listener: { onBytes: (bytes: Buffer) => void; onClosed: () => void }): void;
  /** Pauses reading until `resume`: writers then block, and the end is not seen. */
  pause(): void;
  resume(): void;
  /** True while our end can be used. */
  readonly isOpen: boolean;
  /**
   * Writes as much as fits at once and returns the number of bytes: a terminal takes a few KiB beyond what was read. @throws as
   * write(2) does.
   */
  tryWrite(bytes: Uint8Array): number;
  /** @throws as ioctl(2) does. */
  resize(size: TerminalSize): void;
  /** Stops reading from keeping this program alive. */
  unref(): void;
}

/** Starts a command; returns the error of a start that the system refused. */
export function startPtyChild(
  command: PtyCommand,
  {
    cwd,
    env,
    native,
    size,
  }: Pick<SpawnRequest, 'cwd' | 'env'> & { readonly native: NativePty; readonly size: TerminalSize },
): PtyChild | Error {
  const exit = Promise.withResolvers<ExitStatus>();
  const exited = exit.promise;
  try {
    // On macOS the native part closes inherited descriptors itself.
    if (openMasters().length > 0 && process.platform !== 'darwin') {
      const { fd, pty, child } = startWithSetsid(command, { native, size, env, cwd });
      child.once('exit', (code, signal) => exit.resolve({ code, signal: signal as ProcessSignal | null }));
      return toPtyChild(native, { fd, pty, pid: child.pid, exited, unref: () => child.unref() });
    }
    const onExit = (code: number, signal: number) => exit.resolve(toExitStatus(code, signal));
    const started = native.start({ ...command, env, cwd, ...size, onExit });
    return toPtyChild(native, { ...started, exited, unref: () => {} });
  } catch (error) {
    return findForkError(error);
  }
}

/**
 * Holds the slave open until the leader exits. A program that closes its terminal, for example to write into files, would
 * otherwise end it for us; we would close the master, and SIGHUP would end the program.
 */
function holdSlaveOpen(path: string): () => void {
  try {
    const fd = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
    return () => closeSync(fd);
  } catch {
    // Too many open files: continue without.
    return () => {};
  }
}

/** Buffer size, more than a terminal returns at once. */
const readBytes = 16 * 1024;

/** Takes over the master `fd` of a terminal whose leader was started. */
export function toPtyChild(
  native: NativePty,
  {
    fd,
    pty,
    pid,
    exited,
    unref,
  }: Pick<PtyChild, 'pid' | 'exited' | 'unref'> & { readonly fd: number; readonly pty: string },
): PtyChild {
  void exited.then(holdSlaveOpen(pty));
  let onBytes = (_bytes: Buffer) => {};
  const buffer = Buffer.allocUnsafe(readBytes);
  // Bypasses the queue of the stream: the end is an error here, which would discard what is queued.
  const callback = (length: number) => {
    onBytes(Buffer.from(buffer.subarray(0, length)));
    return true;
  };
  const source = new ReadStream(fd, { onread: { buffer, callback } });
  source.once('close', hideMaster(fd));
  // On Linux the end of a terminal is the error EIO; everything before it was read.
  source.on('error', () => {});
  // The descriptor may be reused as soon as the stream is destroyed.
  const check = () => {
    if (source.destroyed) throw Object.assign(new Error('the terminal is closed'), { code: 'EIO' });
  };
  return {
    pid,
    exited,
    get isOpen() {
      return !source.destroyed;
    },
    read: (listener) => {
      onBytes = listener.onBytes;
      source.once('close', listener.onClosed);
      source.resume();
    },
    pause: () => void source.pause(),
    resume: () => void source.resume(),
    tryWrite: (bytes) => {
      check();
      try {
        return writeSync(fd, bytes);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
        throw error;
      }
    },
    resize: ({ columns, rows }) => {
      check();
      native.resize(fd, columns, rows);
    },
    unref: () => {
      // A closed socket would add a listener for its connection at each call.
      if (!source.destroyed) source.unref();
      unref();
    },
  };
}

/** Converts an exit. A signal without a name counts as a shell counts it. */
function toExitStatus(code: number, signal: number): ExitStatus {
  if (signal === 0) return { code, signal: null };
  const name = toSignalName(signal);
  return name === null ? { code: 128 + signal, signal: null } : { code: null, signal: name };
}

/** Finds the reason of a failed fork by opening the same device, because the native part only says that it failed. */
export function findForkError(error: unknown): Error {
  try {
    closeSync(openSync('/dev/ptmx', 'r+'));
    return error instanceof Error ? error : new Error(String(error));
  } catch (reason) {
    return reason as Error;
  }
}

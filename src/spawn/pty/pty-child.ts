import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import type { ExitStatus, ProcessSignal } from '../../../machines/process/context.ts';
import type { TerminalSize } from '../../../machines/process/terminal.ts';
import type { SpawnRequest } from '../backend.ts';
import { toSignalName } from '../signal-name.ts';
import { hideMaster, openMasters } from '../start-child.ts';
import type { PtyCommand } from './check-start.ts';
import type { NativePty } from './native-pty.ts';
import { startWithSetsid } from './start-with-setsid.ts';

/** A leader and our end of its terminal. */
export interface PtyChild {
  readonly pid: number;
  /** To be called once. `onClosed` once the leader has exited, nobody has the terminal any more, and all was read. */
  read(listener: { onBytes: (bytes: Buffer) => void; onClosed: () => void }): void;
  /** Nothing is read until `resume`: whoever prints then waits, and the end is not seen. */
  pause(): void;
  resume(): void;
  /** Whether our end can be used. */
  readonly isOpen: boolean;
  /** How much of it went in at once: a terminal takes a few KiB beyond what was read. @throws as write(2) does. */
  tryWrite(bytes: Uint8Array): number;
  /** @throws as ioctl(2) does. */
  resize(size: TerminalSize): void;
  /** Reading does not keep this program alive any more. */
  unref(): void;
}

/** Starts it; an error is a start that the system refused. `onExit` is called once, in a later turn. */
export function startPtyChild(
  command: PtyCommand,
  {
    request,
    native,
    size,
    onExit,
  }: { request: SpawnRequest; native: NativePty; size: TerminalSize; onExit: (exit: ExitStatus) => void },
): PtyChild | Error {
  const { cwd } = request;
  // What ours understands; who was told another one by name is to have that.
  const env = { TERM: 'xterm-256color', ...request.env };
  let closeHold = () => {};
  const end = (exit: ExitStatus) => {
    closeHold();
    onExit(exit);
  };
  try {
    // On macOS the native part closes what is open.
    if (openMasters().length > 0 && process.platform !== 'darwin') {
      const { fd, pty, child } = startWithSetsid(command, { native, size, env, cwd });
      closeHold = holdSlaveOpen(pty);
      child.once('exit', (code, signal) => end({ code, signal: signal as ProcessSignal | null }));
      return toChild(native, { fd, pid: child.pid, unref: () => child.unref() });
    }
    const exited = (code: number, signal: number) => end(toExitStatus(code, signal));
    const { fd, pid, pty } = native.start({ ...command, env, cwd, ...size, onExit: exited });
    closeHold = holdSlaveOpen(pty);
    return toChild(native, { fd, pid, unref: () => {} });
  } catch (error) {
    return findForkError(error);
  }
}

/**
 * Until the exit of its leader the terminal has somebody who could write to it. A program that closes all it has of it, as one that
 * writes into files, would be its end for us; we would close ours, and that would end the program: SIGHUP.
 */
function holdSlaveOpen(path: string): () => void {
  try {
    const fd = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
    return () => closeSync(fd);
  } catch {
    // Too many open files: it does without.
    return () => {};
  }
}

/** More than a terminal gives at once. */
const readBytes = 16 * 1024;

function toChild(
  native: NativePty,
  { fd, pid, unref }: { fd: number; pid: number; unref: () => void },
): PtyChild {
  let onBytes = (_bytes: Buffer) => {};
  const buffer = Buffer.allocUnsafe(readBytes);
  // Past the queue of the stream: at the end, which is an error here, whatever waits there would be thrown away.
  const callback = (length: number) => {
    onBytes(Buffer.from(buffer.subarray(0, length)));
    return true;
  };
  const source = new ReadStream(fd, { onread: { buffer, callback } });
  source.once('close', hideMaster(fd));
  // On Linux its end is one, EIO; what it had was read.
  source.on('error', () => {});
  // The number may be another's as soon as it is destroyed.
  const check = () => {
    if (source.destroyed) throw Object.assign(new Error('the terminal is closed'), { code: 'EIO' });
  };
  return {
    pid,
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
      source.unref();
      unref();
    },
  };
}

/** A signal without a name counts as a shell counts it. */
function toExitStatus(code: number, signal: number): ExitStatus {
  if (signal === 0) return { code, signal: null };
  const name = toSignalName(signal);
  return name === null ? { code: 128 + signal, signal: null } : { code: null, signal: name };
}

/** The native part says only that it failed; opening what it opens first says why, if that is it. */
function findForkError(error: unknown): Error {
  try {
    closeSync(openSync('/dev/ptmx', 'r+'));
    return error instanceof Error ? error : new Error(String(error));
  } catch (reason) {
    return reason as Error;
  }
}

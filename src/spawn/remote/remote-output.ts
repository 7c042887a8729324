import { dirname } from 'node:path';
import type { ScreenCapture } from '../../../machines/process/terminal.ts';
import { toErrorText } from '../../config/error-text.ts';
import { makeDirectory } from '../../store/make-directory.ts';
import { openPrivateHandle, replacePrivateFile } from '../../store/private-files.ts';
import type { BackendPort, SpawnFiles } from '../backend.ts';
import { toScreenText } from '../terminal/screen-text.ts';
import type { LogGap } from './log-reader.ts';
import type { LogEntry } from './protocol.ts';

type OutputEntry = Extract<LogEntry, { type: 'output' }>;

/** Takes the output of a remote attempt to where its process keeps it. */
export interface RemoteOutput {
  /** Takes the bytes of an entry that are not there yet. `false`: no more until `onWritable` was called. */
  write(entry: OutputEntry): boolean;
  /** Calls back once everything that was taken before is where readers find it. */
  afterWritten(callback: () => void): void;
  keepScreen(screen: ScreenCapture): void;
  /** Says in the output how much of it is missing. */
  tellGap(gap: LogGap): void;
  /** Says in the output, on a line of its own, why some of it is missing or may be. */
  tellMissing(why: string): void;
  /** Resolves when everything that was taken is written. */
  close(): Promise<void>;
}

/** Opens the output: the file that the process of an asker keeps if it outlives that, else the sink. */
export function openOutput(
  port: BackendPort,
  {
    onWritable,
    reportError,
  }: { readonly onWritable: () => void; readonly reportError: (error: unknown) => void },
): RemoteOutput {
  const { request, output, attemptOffset } = port;
  /** Bytes of the attempt that an earlier asker has written. */
  const written = attemptOffset === undefined ? 0 : output.bytes - attemptOffset;
  const isNew = ({ offset, bytes }: OutputEntry): Uint8Array =>
    offset >= written ? bytes : bytes.subarray(Math.min(bytes.byteLength, written - offset));
  const sink =
    request.files === null
      ? openSink(port, onWritable)
      : openFile(request.files, { onWritable, reportError });
  const tellMissing = (why: string) => {
    sink.put(lastStream, Buffer.from(`\n[troupe: ${why}]\n`));
  };
  let lastStream: OutputEntry['stream'] = request.terminal === null ? 'stdout' : 'screen';
  return {
    ...sink,
    write: (entry) => {
      lastStream = entry.stream;
      const bytes = isNew(entry);
      return bytes.byteLength === 0 || sink.put(entry.stream, bytes);
    },
    tellGap: ({ entries, bytes }) => {
      const what = bytes === null ? `${entries} pieces` : `${bytes} bytes`;
      tellMissing(`the servers no longer have ${what} of output here`);
    },
    tellMissing,
  };
}

interface Destination extends Omit<RemoteOutput, 'write' | 'tellGap' | 'tellMissing'> {
  put(stream: OutputEntry['stream'], bytes: Uint8Array): boolean;
}

function openSink({ output, keepScreen }: BackendPort, onWritable: () => void): Destination {
  return {
    put: (stream, bytes) => {
      const isWritable = output.write(stream, bytes);
      if (!isWritable) output.whenWritable(onWritable);
      return isWritable;
    },
    afterWritten: (callback) => callback(),
    keepScreen,
    close: async () => {},
  };
}

/** Bytes that may wait for the disk. */
const MAX_WAITING_BYTES = 4 * 2 ** 20;

/** Appends to the log, in order. A failed write loses its bytes and is reported once. */
function openFile(
  { log, screen: screenPath }: SpawnFiles,
  { onWritable, reportError }: Parameters<typeof openOutput>[1],
): Destination {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let hasFailed = false;
  let isAsked = false;
  let writing = Promise.resolve();

  const append = async (bytes: Uint8Array) => {
    makeDirectory(dirname(log));
    const file = await openPrivateHandle(log, 'append');
    try {
      await file.writeFile(bytes);
    } finally {
      await file.close();
    }
  };
  const flush = async () => {
    const bytes = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    try {
      await append(bytes);
    } catch (error) {
      if (!hasFailed) reportError(new Error(`Output was not written to ${log}: ${toErrorText(error)}`));
      hasFailed = true;
    }
    if (!isAsked) return;
    isAsked = false;
    onWritable();
  };
  return {
    put: (_, bytes) => {
      waiting.push(bytes);
      waitingBytes += bytes.byteLength;
      if (waiting.length === 1) writing = writing.then(flush);
      isAsked ||= waitingBytes > MAX_WAITING_BYTES;
      return !isAsked;
    },
    afterWritten: (callback) => {
      writing = writing.then(callback);
    },
    keepScreen: (screen) => {
      try {
        replacePrivateFile(screenPath, toScreenText(screen));
      } catch (error) {
        reportError(error);
      }
    },
    close: () => writing,
  };
}

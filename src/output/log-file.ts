import { dirname } from 'node:path';
import type { Cancel, Clock } from '../clock/clock.ts';
import { compactLog } from './log-compaction.ts';
import { type LogFileHandle, type LogFileSystem, nodeLogFileSystem } from './log-file-system.ts';
import { createLogLayout, type LogLayout } from './log-layout.ts';
import { type LengthMark, type OutputTimes, timesPathOf, toLengthMarks } from './log-times.ts';
import { createTimeIndex } from './time-index.ts';
import { createWriteQueue } from './write-queue.ts';

/** Why the log file is not complete. It stays, even when writing works again. */
export interface OutputDegradation {
  /** What failed, as a clause: `the log file could not be written`. */
  readonly what: string;
  /** The system's words. */
  readonly error: string;
  /** Bytes of output that are not in the file for this or a later failure. */
  readonly missingBytes: number;
}

/** As views show it. */
export function toDegradedText({ what, error }: OutputDegradation): string {
  return `${what}: ${error}`;
}

/**
 * Output on disk, written behind the process's back: readable at any time, never larger than its cap, and no failure
 * of it reaches the process.
 */
export interface LogFile {
  /** `false`: more is waiting than should; hold the source until `whenWritable`. */
  write(bytes: Uint8Array): boolean;
  /** Calls back once, at the latest a second after `write` first answered `false`. */
  whenWritable(callback: () => void): void;
  /**
   * Reads output back from an offset on, at most `length` bytes of it. Where it is missing: up to which offset. `null` where it is not
   * written yet.
   */
  read(offset: number, length: number): Promise<Uint8Array | { readonly missingTo: number } | null>;
  /** Puts a line into the file that is not output. */
  note(text: string): void;
  /** `null` until the file is there, and when it was found removed. */
  readonly path: string | null;
  readonly degraded: OutputDegradation | null;
  /** Output that is not in the file, for the cap or a failure. */
  readonly missingBytes: number;
  /** By offsets in the output, not in the file. */
  times(): OutputTimes;
  /** Resolves when what was written so far is in the file or lost; within five seconds of a disk that hangs. */
  flush(): Promise<void>;
  /** Writes what is waiting and closes. Settles always, within five seconds of a disk that hangs. */
  close(): Promise<void>;
}

interface LogFileOptions {
  /** Made with its directory at the first byte, for its owner only. */
  readonly path: string;
  readonly maxBytes: number;
  readonly clock: Clock;
  /** Called once, at the first failure. */
  readonly onDegraded?: (degradation: OutputDegradation) => void;
  readonly files?: LogFileSystem;
}

const highWaterBytes = 4 * 1024 * 1024;
const lowWaterBytes = highWaterBytes / 2;
const batchBytes = 1024 * 1024;
const longestHoldMs = 1_000;
const retryAfterMs = 5_000;
const identityCheckMs = 1_000;
const closeGraceMs = 5_000;
/** The index gets one mark in that time, and none without new output. */
const markEveryMs = 1_000;

export function createLogFile(options: LogFileOptions): LogFile {
  const { path, maxBytes, clock } = options;
  const files = options.files ?? nodeLogFileSystem;
  const queue = createWriteQueue();
  let handle: LogFileHandle | null = null;
  let layout: LogLayout = createLogLayout({ maxBytes, size: 0 });
  let identity = { ino: 0, dev: 0 };
  let checkAtMs = 0;
  let hasOpened = false;
  let retryAtMs = Number.NEGATIVE_INFINITY;
  /** Lost since the last byte that is in the file: the next write puts a line about it first. */
  let unwritten = { bytes: 0, reason: '' };
  let degraded: { what: string; error: string } | null = null;
  let missingBytes = 0;
  let notes: {
    readonly text: string /** Bytes in the queue that stand before it. */;
    readonly afterBytes: number;
  }[] = [];
  const index = createTimeIndex(timesPathOf(path));
  let seenBytes = 0;
  let lastWriteAtMs = clock.nowMs();
  let markedAtMs = Number.NEGATIVE_INFINITY;
  /** Those that are not in the index yet; `afterBytes` as in `notes`. */
  let marks: readonly (LengthMark & { readonly afterBytes: number })[] = [];
  let pumping: Promise<void> | null = null;
  let isHung = false;
  let cancelHold: Cancel | null = null;
  let waiting: (() => void)[] = [];
  let addedBytes = 0;
  let flushes: { readonly upTo: number; settle(): void }[] = [];
  let closing: Promise<void> | null = null;
  /** Under way: what is where in the file is not known until it is done. */
  let compaction: Promise<unknown> | null = null;
  let compactions = 0;

  function write(bytes: Uint8Array): boolean {
    const nowMs = clock.nowMs();
    markTime(bytes.byteLength, nowMs);
    if (closing !== null || nowMs < retryAtMs) {
      lose(bytes.byteLength);
      return true;
    }
    queue.add(bytes);
    addedBytes += bytes.byteLength;
    startPump();
    if (queue.bytes <= highWaterBytes) return true;
    if (isHung) {
      lose(dropQueue());
      return true;
    }
    cancelHold ??= clock.at(clock.nowMs() + longestHoldMs, onHeldTooLong, { idle: true });
    return false;
  }

  /** The wall clock is asked for marks alone: writes are many. */
  function markTime(bytes: number, nowMs: number): void {
    if (nowMs - markedAtMs >= markEveryMs) {
      const until = clock.epochMs();
      const since = until - (nowMs - lastWriteAtMs);
      marks = [...marks, { offset: seenBytes, since, until, afterBytes: queue.bytes }];
      markedAtMs = nowMs;
    }
    lastWriteAtMs = nowMs;
    seenBytes += bytes;
  }

  function onHeldTooLong(): void {
    isHung = true;
    degrade('the disk did not keep up with the output', `nothing could be written for ${longestHoldMs} ms`);
    lose(dropQueue());
    release();
  }

  function release(): void {
    cancelHold?.();
    cancelHold = null;
    const callbacks = waiting;
    waiting = [];
    for (const callback of callbacks) queueMicrotask(callback);
  }

  function startPump(): void {
    pumping ??= pump().finally(() => {
      pumping = null;
      // A flush that was asked for since the last write has nothing left to wait for.
      settleFlushes();
      // What came between the last look at the queue and this line.
      if (queue.bytes > 0) startPump();
      else if (cancelHold !== null) release();
    });
  }

  async function pump(): Promise<void> {
    while (queue.bytes > 0 || notes.length > 0) {
      try {
        await step();
      } catch (error) {
        fail('the log file could not be written', error);
        settleFlushes();
        return;
      }
      settleFlushes();
      isHung = false;
      if (cancelHold !== null && queue.bytes <= lowWaterBytes) release();
    }
  }

  /** Writes one batch, or makes the room for it. */
  async function step(): Promise<void> {
    handle ??= await openFile();
    if (clock.nowMs() >= checkAtMs && (await isRemoved())) {
      await abandonRemoved();
      return;
    }
    const room = layout.roomBytes;
    if (room <= 0) {
      layout.skippedBytes +=
        queue.bytes > maxBytes / 2 ? skipQueue(queue.bytes - Math.floor(maxBytes / 2)) : 0;
      const compacting = compactLog({ files, path, handle, layout, pendingBytes: queue.bytes });
      compaction = compacting;
      compactions += 1;
      index.move(
        await compacting.finally(() => {
          compaction = null;
        }),
      );
      return;
    }
    await writeLines(handle);
    writeMarks();
    const places = [notes[0]?.afterBytes ?? room, marks[0]?.afterBytes ?? room];
    const pieces = queue.take(Math.min(room, batchBytes, ...places));
    passQueued(pieces.reduce((sum, piece) => sum + piece.byteLength, 0));
    await writeAll(handle, pieces);
  }

  async function openFile(): Promise<LogFileHandle> {
    // Not again later: who has removed the directory does not want it back.
    if (!hasOpened) await files.mkdir(dirname(path));
    const opened = await files.open(path, 'readAndAppend');
    const facts = await opened.stat();
    hasOpened = true;
    identity = facts;
    checkAtMs = clock.nowMs() + identityCheckMs;
    layout = createLogLayout({ maxBytes, size: facts.size });
    return opened;
  }

  /** The lines that are not output: what is missing here, and notes. */
  async function writeLines(to: LogFileHandle): Promise<void> {
    if (unwritten.bytes > 0) {
      const { bytes, reason } = unwritten;
      await writeLine(to, { text: `${bytes} bytes missing here: ${reason}`, missingBytes: bytes });
      unwritten = { ...unwritten, bytes: unwritten.bytes - bytes };
    }
    for (let note = notes[0]; note !== undefined && note.afterBytes <= 0; note = notes[0]) {
      await writeLine(to, { text: note.text, missingBytes: 0 });
      notes.shift();
    }
  }

  function writeMarks(): void {
    for (let mark = marks[0]; mark !== undefined && mark.afterBytes <= 0; mark = marks[0]) {
      index.add({ ...mark, position: layout.size });
      marks = marks.slice(1);
    }
  }

  /** A line that a full disk cuts off stands for nothing: it is written again. */
  async function writeLine(
    to: LogFileHandle,
    { text, missingBytes }: { text: string; missingBytes: number },
  ) {
    const line = Buffer.from(`\n[troupe: ${text}]\n`);
    let written = 0;
    try {
      while (written < line.byteLength) {
        const { bytesWritten } = await to.writev([line.subarray(written)]);
        written += bytesWritten;
      }
    } finally {
      layout.addLine(written, written === line.byteLength ? missingBytes : 0);
    }
  }

  function passQueued(bytes: number): void {
    notes = notes.map(({ text, afterBytes }) => ({ text, afterBytes: afterBytes - bytes }));
    marks = marks.map((mark) => ({ ...mark, afterBytes: mark.afterBytes - bytes }));
  }

  async function writeAll(to: LogFileHandle, pieces: readonly Uint8Array[]): Promise<void> {
    let left = pieces;
    try {
      while (left.length > 0) {
        const { bytesWritten } = await to.writev(left);
        layout.addOutput(bytesWritten);
        left = without(left, bytesWritten);
      }
    } catch (error) {
      queue.restore(left);
      throw error;
    }
  }

  async function isRemoved(): Promise<boolean> {
    checkAtMs = clock.nowMs() + identityCheckMs;
    const current = await files.stat(path).catch(() => null);
    return current === null || current.ino !== identity.ino || current.dev !== identity.dev;
  }

  async function abandonRemoved(): Promise<void> {
    const old = handle;
    handle = null;
    const lostBytes = layout.outputBytes;
    index.move({ from: 0, to: layout.size, target: 0 });
    layout = createLogLayout({ maxBytes, size: 0 });
    degrade('the log file was removed or replaced', `${path} is not the file that was opened`);
    lose(lostBytes);
    await old?.close().catch(() => {});
  }

  function fail(what: string, error: unknown): void {
    degrade(what, toWords(error));
    retryAtMs = clock.nowMs() + retryAfterMs;
    isHung = false;
    lose(dropQueue());
    if (cancelHold !== null) release();
  }

  function degrade(what: string, error: string): void {
    unwritten.reason = what;
    if (degraded !== null) return;
    degraded = { what, error };
    queueMicrotask(() => options.onDegraded?.({ what, error, missingBytes }));
  }

  function lose(bytes: number): void {
    unwritten.bytes += bytes;
    missingBytes += bytes;
  }

  function dropQueue(): number {
    return skipQueue(queue.bytes);
  }

  function skipQueue(bytes: number): number {
    queue.skip(bytes);
    passQueued(bytes);
    return bytes;
  }

  async function read(offset: number, length: number) {
    while (true) {
      await compaction?.catch(() => {});
      const place = layout.locate(offset);
      if (place === null) {
        const lostTo = layout.outputBytes + unwritten.bytes;
        return offset < lostTo ? { missingTo: lostTo } : null;
      }
      if (place.type === 'missing') return { missingTo: place.to };
      const before = compactions;
      const bytes = await readRange(place.position, Math.min(place.length, length));
      if (compactions !== before) continue;
      return bytes === null || bytes.byteLength === 0 ? { missingTo: offset + place.length } : bytes;
    }
  }

  /** `null` where it is not the file that was written, or cannot be read. */
  async function readRange(position: number, length: number): Promise<Uint8Array | null> {
    let file: LogFileHandle | null = null;
    try {
      file = await files.open(path, 'read');
      const { ino, dev } = await file.stat();
      if (ino !== identity.ino || dev !== identity.dev) return null;
      const buffer = new Uint8Array(length);
      const { bytesRead } = await file.read(buffer, 0, length, position);
      return buffer.subarray(0, bytesRead);
    } catch {
      return null;
    } finally {
      await file?.close().catch(() => {});
    }
  }

  async function finish(): Promise<void> {
    // Not only once: what came just as one pump ended has begun another, and two would write past each other.
    while (pumping !== null) await pumping;
    if (queue.bytes > 0) await pump();
    if (handle === null) return;
    if (await isRemoved()) await abandonRemoved();
    if (handle !== null && unwritten.bytes > 0) await writeLines(handle).catch(() => {});
    await handle
      ?.close()
      .catch((error: unknown) => degrade('the log file could not be closed', toWords(error)));
  }

  function flush(): Promise<void> {
    if (pumping === null) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = clock.at(clock.nowMs() + closeGraceMs, resolve);
      const settle = () => {
        cancel();
        resolve();
      };
      flushes.push({ upTo: addedBytes, settle });
    });
  }

  /** To be called between two writes: all that was ever added is then in the file, lost, or in the queue. */
  function settleFlushes(): void {
    const settledBytes = addedBytes - queue.bytes;
    for (const { settle } of flushes.filter(({ upTo }) => upTo <= settledBytes)) settle();
    flushes = flushes.filter(({ upTo }) => upTo > settledBytes);
  }

  function close(): Promise<void> {
    closing ??= new Promise<void>((resolve) => {
      const cancel = clock.at(clock.nowMs() + closeGraceMs, () => {
        degrade('the log file could not be closed', `the disk did not answer within ${closeGraceMs} ms`);
        lose(dropQueue());
        resolve();
      });
      finish()
        .catch((error: unknown) => degrade('the log file could not be closed', toWords(error)))
        .finally(() => {
          cancel();
          if (cancelHold !== null) release();
          resolve();
        });
    });
    return closing;
  }

  return {
    write,
    read,
    whenWritable(callback) {
      if (cancelHold === null) queueMicrotask(callback);
      else waiting.push(callback);
    },
    note(text) {
      if (closing !== null || clock.nowMs() < retryAtMs) return;
      notes.push({ text, afterBytes: queue.bytes });
    },
    get path() {
      return handle === null ? null : path;
    },
    get degraded() {
      return degraded === null ? null : { ...degraded, missingBytes };
    },
    get missingBytes() {
      return unwritten.bytes + layout.missingBytes;
    },
    times: () => {
      const unwritten = marks.map((mark) => ({ ...mark, position: layout.size }));
      return {
        marks: toLengthMarks([...index.read(), ...unwritten], 'offset'),
        lastAt: seenBytes === 0 ? null : clock.epochMs() - (clock.nowMs() - lastWriteAtMs),
      };
    },
    flush,
    close,
  };
}

/** The pieces without their first bytes: a disk that fills up takes a part. */
function without(pieces: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let skip = bytes;
  let index = 0;
  for (let piece = pieces[index]; piece !== undefined && piece.byteLength <= skip; piece = pieces[index]) {
    skip -= piece.byteLength;
    index += 1;
  }
  const [cut, ...rest] = pieces.slice(index);
  return cut === undefined ? [] : [cut.subarray(skip), ...rest];
}

function toWords(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import { toNotice } from './log-cap.ts';
import type { LogFileHandle, LogFileSystem } from './log-file-system.ts';
import type { LogLayout } from './log-layout.ts';
import type { MovedBytes } from './output-times.ts';
import { dropLeading } from './write-queue.ts';

interface OpenLog {
  readonly handle: LogFileHandle;
  readonly layout: LogLayout;
}

/** Appends a line that is not output. A line cut off by a full disk is ignored and written again. */
export async function appendLine(
  { handle, layout }: OpenLog,
  { text, missingBytes }: { readonly text: string; readonly missingBytes: number },
): Promise<void> {
  const line = Buffer.from(toNotice(text));
  let written = 0;
  try {
    while (written < line.byteLength) {
      const { bytesWritten } = await handle.writev([line.subarray(written)]);
      written += bytesWritten;
    }
  } finally {
    layout.addLine(written, written === line.byteLength ? missingBytes : 0);
  }
}

/** Appends output. Bytes that could not be written are passed to `restore`. */
export async function appendOutput(
  { handle, layout }: OpenLog,
  {
    pieces,
    restore,
  }: { readonly pieces: readonly Uint8Array[]; restore(pieces: readonly Uint8Array[]): void },
): Promise<void> {
  let left = pieces;
  try {
    while (left.length > 0) {
      const { bytesWritten } = await handle.writev(left);
      layout.addOutput(bytesWritten);
      left = dropLeading(left, bytesWritten);
    }
  } catch (error) {
    restore(left);
    throw error;
  }
}

const copyBytes = 256 * 1024;

/**
 * Shrinks a log that has reached its cap to its head, a line about the missing bytes, and the newest eighth
 * of the cap. The file keeps its identity, so that `tail -f` follows it, and needs no disk space. The tail is
 * copied behind the head before the file is truncated: a crash leaves it twice, and a failed compaction
 * starts again from the same bytes. If it rejects, the layout is unchanged. Resolves with what moved in the
 * file.
 */
export async function compactLog(options: {
  files: LogFileSystem;
  path: string;
  handle: LogFileHandle;
  layout: LogLayout;
  pendingBytes: number;
}): Promise<MovedBytes> {
  const { files, path, handle, layout } = options;
  const plan = layout.planCompaction(options.pendingBytes);
  // A file opened for appending cannot be written elsewhere.
  const place = await files.open(path, 'change');
  try {
    await checkSame(handle, place);
    const tailAt = await writeAt(place, plan.line, plan.headBytes);
    const size = await moveDown(place, { from: plan.tailFrom, to: layout.size, target: tailAt });
    await place.truncate(size);
  } finally {
    await place.close().catch(() => {});
  }
  layout.applied(plan);
  return { from: plan.headBytes, to: plan.tailFrom, target: plan.headBytes + plan.line.byteLength };
}

async function checkSame(one: LogFileHandle, other: LogFileHandle): Promise<void> {
  const [a, b] = [await one.stat(), await other.stat()];
  if (a.ino !== b.ino || a.dev !== b.dev) throw new Error('the log file was replaced');
}

/**
 * Writes all bytes at a position.
 *
 * @returns the position after them.
 */
async function writeAt(file: LogFileHandle, bytes: Uint8Array, position: number): Promise<number> {
  for (let written = 0; written < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.byteLength - written, position + written);
    written += bytesWritten;
  }
  return position + bytes.byteLength;
}

/**
 * Copies from front to back, so that the target may begin within the source.
 *
 * @returns the position after the copy.
 */
async function moveDown(
  file: LogFileHandle,
  { from, to, target }: { from: number; to: number; target: number },
): Promise<number> {
  const buffer = new Uint8Array(Math.min(copyBytes, to - from));
  let end = target;
  for (let at = from; at < to; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.byteLength, to - at), at);
    if (bytesRead === 0) throw new Error(`the log file ended at byte ${at}, expected ${to}`);
    end = await writeAt(file, buffer.subarray(0, bytesRead), end);
    at += bytesRead;
  }
  return end;
}

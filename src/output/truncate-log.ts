import { closeSync, fstatSync, ftruncateSync, futimesSync, readSync, writeSync } from 'node:fs';
import { runProgram } from '../spawn/start-child.ts';
import { appendPrivateFile, openPrivateFile } from '../store/private-files.ts';
import { type LogGap, tailPathOf, toBaseLine, toGapLine } from './log-map.ts';
import type { TailedFile } from './tailed-file.ts';

const pieceBytes = 1024 * 1024;

/**
 * Copies the newest bytes into a file beside the log and cuts the log behind its head; who writes goes on there. What comes between
 * copy and cut is lost and counted as a gap; of the last microseconds, between asking for the size and the cut, it may not be
 * counted. Offsets stay what they were because the new beginning is written down first.
 */
export const copyTailAndTruncate: TruncateLog = async ({
  file,
  statusPath,
  keepHeadBytes,
  keepTailBytes,
}) => {
  const { path } = file;
  const { shift, headBytes } = file.map();
  const head = shift === 0 ? keepHeadBytes : headBytes;
  const descriptor = openPrivateFile(path, 'change');
  try {
    const { size } = fstatSync(descriptor);
    const tail = { from: Math.max(head, size - keepTailBytes), to: size };
    if (tail.from <= head) return;
    copyRange(descriptor, { ...tail, target: tailPathOf(path) });
    const offset = fstatSync(descriptor).size + shift;
    const kept = { from: tail.from + shift, to: tail.to + shift };
    appendPrivateFile(statusPath, toBaseLine({ headBytes: head, offset, tail: kept }));
    ftruncateSync(descriptor, head);
  } finally {
    closeSync(descriptor);
  }
};

function copyRange(source: number, { from, to, target }: { from: number; to: number; target: string }): void {
  const copy = openPrivateFile(target, 'replace');
  const buffer = Buffer.allocUnsafe(Math.min(pieceBytes, to - from));
  try {
    for (let position = from; position < to; ) {
      const length = Math.min(buffer.byteLength, to - position);
      const count = readSync(source, buffer, { offset: 0, length, position });
      if (count === 0) return;
      writeSync(copy, buffer, 0, count);
      position += count;
    }
  } finally {
    closeSync(copy);
  }
}

/** A way to make a log smaller that somebody else goes on writing. Rejects where it cannot. */
export type TruncateLog = (log: {
  file: TailedFile;
  /** Where it is written down what is missing, before it is. */
  statusPath: string;
  keepHeadBytes: number;
  keepTailBytes: number;
}) => Promise<void>;

/** No file system that has holes has larger blocks. */
const blockBytes = 4096;

/**
 * Gives the middle of the log back to the file system: all other bytes stay where they are, and who writes notices nothing. What is
 * missing is written down before it is gone, and again where it was, for who opens the file with another program. Rejects
 * where the file system or the program `fallocate` cannot do it.
 */
export const punchHole: TruncateLog = async ({ file, statusPath, keepHeadBytes, keepTailBytes }) => {
  const { path } = file;
  const { shift } = file.map();
  const size = file.stat()?.size ?? 0;
  const from = Math.ceil(keepHeadBytes / blockBytes) * blockBytes;
  const to = Math.floor((size - keepTailBytes) / blockBytes) * blockBytes;
  if (to - from < 2 * blockBytes) return;
  // Refuses a link, which `fallocate` would follow.
  closeSync(openPrivateFile(path, 'change'));
  appendPrivateFile(statusPath, toGapLine({ from: from + shift, to: to + shift }));
  const range = ['--offset', `${from}`, '--length', `${to - from}`];
  // Its words are read, see `capLog`.
  const result = await runProgram('fallocate', ['--punch-hole', ...range, path], { env: { LC_ALL: 'C' } });
  if (result.failed) throw result.cause ?? result;
  writeMark(path, { from, to });
};

function writeMark(path: string, { from, to }: LogGap): void {
  const descriptor = openPrivateFile(path, 'change');
  try {
    const before = fstatSync(descriptor);
    writeSync(descriptor, `\n[troupe: ${to - from} bytes missing here: the log file is at its cap]\n`, from);
    // The time tells when the process last wrote; a line of ours is no output.
    if (fstatSync(descriptor).size === before.size) futimesSync(descriptor, before.atime, before.mtime);
  } finally {
    closeSync(descriptor);
  }
}

import { closeSync, fstatSync, ftruncateSync, futimesSync, readSync, writeSync } from 'node:fs';
import { runProgram } from '../spawn/start-child.ts';
import { appendPrivateFile, openPrivateFile } from '../store/private-files.ts';
import { toAtCapNotice } from './log-cap.ts';
import { type LogGap, tailPathOf, toBaseLine, toGapLine } from './log-map.ts';
import type { TailedFile } from './tailed-file.ts';

const pieceBytes = 1024 * 1024;

/**
 * Copies the newest bytes into a file beside the log and truncates the log behind its head, where its writer
 * continues. Output between copy and truncation is lost and counted as a gap; that of the last microseconds
 * between reading the size and truncating may not be counted. Offsets stay valid because the new base is
 * recorded first.
 */
export const copyTailAndTruncate: TruncateLog = async ({
  file,
  statusPath,
  keepHeadBytes,
  keepTailBytes,
}) => {
  const { path } = file;
  const { shift, segments } = file.map();
  const head = shift === 0 ? keepHeadBytes : (segments.at(-1)?.position ?? 0);
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

/** Shortens a log while another program keeps writing it. Rejects if that is impossible. */
export type TruncateLog = (log: {
  file: TailedFile;
  /** The file in which gaps are recorded before they arise. */
  statusPath: string;
  keepHeadBytes: number;
  keepTailBytes: number;
  /** Offset from which on nothing may be removed. */
  neededFrom: number;
}) => Promise<void>;

/** No file system with holes has larger blocks. */
const blockBytes = 4096;

/**
 * Returns the middle of the log to the file system: all other bytes stay in place, and the writer is
 * unaffected. The gap is recorded first, and marked in the log for readers with other programs. Rejects if
 * the file system or the program `fallocate` cannot do it.
 */
export const punchHole: TruncateLog = async (log) => {
  const { file, statusPath, keepHeadBytes, keepTailBytes, neededFrom } = log;
  const { path } = file;
  const { shift } = file.map();
  const size = file.stat()?.size ?? 0;
  const from = Math.ceil(keepHeadBytes / blockBytes) * blockBytes;
  const to = Math.floor(Math.min(size - keepTailBytes, neededFrom - shift) / blockBytes) * blockBytes;
  if (to - from < 2 * blockBytes) return;
  // Refuses a link, which `fallocate` would follow.
  closeSync(openPrivateFile(path, 'change'));
  appendPrivateFile(statusPath, toGapLine({ from: from + shift, to: to + shift }));
  const range = ['--offset', `${from}`, '--length', `${to - from}`];
  // Its messages are matched, see `capLog`.
  const result = await runProgram('fallocate', ['--punch-hole', ...range, path], { env: { LC_ALL: 'C' } });
  if (result.failed) throw result.cause ?? result;
  writeMark(path, { from, to });
};

function writeMark(path: string, { from, to }: LogGap): void {
  const descriptor = openPrivateFile(path, 'change');
  try {
    const before = fstatSync(descriptor);
    writeSync(descriptor, toAtCapNotice(to - from), from);
    // The file time tells when the process last wrote, which this mark must not change.
    if (fstatSync(descriptor).size === before.size) futimesSync(descriptor, before.atime, before.mtime);
  } finally {
    closeSync(descriptor);
  }
}

import { closeSync, fstatSync, ftruncateSync, readSync, writeSync } from 'node:fs';
import { appendPrivateFile, openPrivateFile } from '../store/private-files.ts';
import { tailPathOf, toBaseLine } from './log-map.ts';
import type { MakeRoom } from './make-room.ts';

const pieceBytes = 1024 * 1024;

/**
 * Copies the newest bytes into a file beside the log and cuts the log behind its head; who writes goes on there. What comes between
 * copy and cut is lost and counted as a gap; of the last microseconds, between asking for the size and the cut, it may not be
 * counted. Offsets stay what they were because the new beginning is written down first.
 */
export const cutLog: MakeRoom = async ({ file, statusPath, keepHeadBytes, keepTailBytes }) => {
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

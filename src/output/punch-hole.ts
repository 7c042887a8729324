import { closeSync, fstatSync, futimesSync, writeSync } from 'node:fs';
import { runProgram } from '../spawn/start-child.ts';
import { appendPrivateFile, openPrivateFile } from '../store/private-files.ts';
import { type LogGap, toGapLine } from './log-map.ts';
import type { MakeRoom } from './make-room.ts';

/** No file system that has holes has larger blocks. */
const blockBytes = 4096;

/**
 * Gives the middle of the log back to the file system: all other bytes stay where they are, and who writes notices nothing. What is
 * missing is written down before it is gone, and again where it was, for who opens the file with another program. Rejects
 * where the file system or the program `fallocate` cannot do it.
 */
export const punchHole: MakeRoom = async ({ file, statusPath, keepHeadBytes, keepTailBytes }) => {
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

import type { OutputTimes } from '../output/log-times.ts';
import type { OutputRead, ReadOptions } from '../output/read-output.ts';
import type { DirectoryGround, Recorded } from './directory-deps.ts';
import { openRecordedLog } from './follow-process.ts';
import { findEnd } from './wait-process.ts';

/** What a log says of a process that nobody can be asked about. */
export async function readRecorded(
  ground: DirectoryGround,
  { it, readOptions }: { it: Recorded; readOptions: ReadOptions },
): Promise<OutputRead> {
  const { record } = it;
  const isOver = (await findEnd(ground, it)) !== null;
  const log = await openRecordedLog(ground, { record, isOver });
  if (log === null) return noLog();
  try {
    const { readOutput } = await import('../output/read-output.ts');
    return readOutput(log, readOptions);
  } finally {
    await log.close();
  }
}

/** What the index of such a log says. */
export async function readRecordedTimes(ground: DirectoryGround, { record }: Recorded): Promise<OutputTimes> {
  const log = await openRecordedLog(ground, { record, isOver: true });
  if (log === null) return { marks: [], lastAt: null };
  try {
    return log.times();
  } finally {
    await log.close();
  }
}

function noLog(): OutputRead {
  return {
    text: '',
    from: 0,
    to: 0,
    droppedBytes: 0,
    omittedBytes: 0,
    truncated: false,
    ended: true,
    problem: 'its output was kept in memory only, and went with its supervisor',
    positions: { stdout: 0, stderr: 0, screen: 0 },
  };
}

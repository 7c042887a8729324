import type { OutputLog } from '../output/output-log.ts';
import type { OutputTimes } from '../output/output-times.ts';
import type { OutputRead, ReadOptions } from '../output/read-output.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import { type DirectoryDeps, findEnd, type Recorded } from './directory-deps.ts';

/** Reads the log of a process whose supervisor cannot be asked. */
export async function readRecorded(
  deps: DirectoryDeps,
  { it, readOptions }: { it: Recorded; readOptions: ReadOptions },
): Promise<OutputRead> {
  const { record } = it;
  const isOver = (await findEnd(deps, it)) !== null;
  const log = await openRecordedLog(deps, { record, isOver });
  if (log === null) return noLog();
  try {
    const { readOutput } = await import('../output/read-output.ts');
    return readOutput(log, readOptions);
  } finally {
    await log.close();
  }
}

/** Reads the index of times beside such a log. */
export async function readRecordedTimes(deps: DirectoryDeps, { record }: Recorded): Promise<OutputTimes> {
  const log = await openRecordedLog(deps, { record, isOver: true });
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
    problem: 'its output was kept in memory only and was lost with its supervisor',
    positions: { stdout: 0, stderr: 0, screen: 0 },
  };
}

/** Opens the log of an unsupervised process, read-only; `null` where none was kept. */
export async function openRecordedLog(
  { paths, clock }: DirectoryDeps,
  { record, isOver }: { record: ProcessRecord; isOver: boolean },
): Promise<OutputLog | null> {
  const { view, revival } = record;
  if (view.output.logFile === null && revival === null) return null;
  const { createFileStore } = await import('../output/file-store.ts');
  const { createOutputLog } = await import('../output/output-log.ts');
  const store = createFileStore({
    clock,
    path: paths.logOf(view.id),
    statusPath: paths.statusOf(view.id),
    // Only a supervisor applies the size limit.
    maxBytes: null,
    isOver,
    stream: view.terminal?.type === 'terminal' ? 'screen' : 'stdout',
  });
  return createOutputLog({ clock, store });
}

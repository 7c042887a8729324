import type { ChildProcess } from 'node:child_process';
import type { ExitStatus, ProcessSignal } from '../../../machines/process/context.ts';
import { toSignalName } from '../signal-name.ts';
import { readProcText } from '../tree/proc-entry.ts';
import type { OutputSources } from './output-pipe.ts';

/** A child that was started and therefore has a pid. */
export type SpawnedChild = ChildProcess & { readonly pid: number };

/**
 * Reports the exit of a child, including an end by a real-time signal. Node reports that as code 0, because it has no name for
 * such a signal. Linux shows the wait status in `/proc/<pid>/stat` (field 52) from the beginning of an exit until the child is
 * collected, and the pipes end in between. Where another process holds both pipes, or Node collects the child first, the end
 * cannot be told from code 0.
 */
export function watchExit(
  child: SpawnedChild,
  call: { sources: OutputSources; onExit: (exit: ExitStatus) => void },
): void {
  let realTime: ProcessSignal | null = null;
  let hasExited = false;
  for (const source of Object.values(call.sources)) {
    source.once('end', () => {
      if (!hasExited) realTime ??= readRealTimeSignal(child.pid);
    });
  }
  child.once('exit', (code, signal) => {
    hasExited = true;
    if (code === 0 && realTime !== null) call.onExit({ code: null, signal: realTime });
    else call.onExit({ code, signal: signal as ProcessSignal | null });
  });
}

/** First real-time signal; Node names the standard signals below. */
const firstRealTime = 32;

function readRealTimeSignal(pid: number): ProcessSignal | null {
  if (process.platform !== 'linux') return null;
  const text = readProcText(`/proc/${pid}/stat`);
  if (text === null) return null;
  // wait(2): the signal is in the lowest seven bits.
  const number = Number(text.slice(text.lastIndexOf(' ') + 1)) & 0x7f;
  return number < firstRealTime ? null : toSignalName(number);
}

import type { Writable } from 'node:stream';
import type { ExitStatus, ProcessSignal } from '../../../machines/process/context.ts';
import { toSignalName } from '../../config/signal-name.ts';
import type { LeaderFigures } from '../exit-fact.ts';
import { readDiskBytes, readProcText } from '../tree/proc-entry.ts';
import { toFinalCpuMs } from '../tree/stat-line.ts';
import type { OutputSources } from './output-pipe.ts';

/** Child that was started, by this program or by its starter, and therefore has a pid. */
export interface SpawnedChild {
  readonly pid: number;
  readonly stdin: Writable | null;
  once(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
}

/**
 * Reports the exit of a child with its figures, and an end by a real-time signal. Node reports that as code 0, because it has no name
 * for such a signal. Linux shows both in `/proc/<pid>/stat` from the beginning of an exit until the child is collected, and the pipes
 * end in between. Where another process holds both pipes, or the parent of the child collects it first, the CPU time is unknown, and such an end
 * cannot be told from code 0.
 */
export function watchExit(
  child: SpawnedChild,
  call: { sources: OutputSources; onExit: (exit: ExitStatus, figures: LeaderFigures) => void },
): void {
  let seen = unseen;
  let hasExited = false;
  for (const source of Object.values(call.sources)) {
    source.once('end', () => {
      if (!hasExited) seen = readEnd(child.pid);
    });
  }
  child.once('exit', (code, signal) => {
    hasExited = true;
    const { realTime, ...figures } = seen;
    if (code === 0 && realTime !== null) call.onExit({ code: null, signal: realTime }, figures);
    else call.onExit({ code, signal: signal as ProcessSignal | null }, figures);
  });
}

/** First real-time signal; Node names the standard signals below. */
const firstRealTime = 32;

interface LastLook extends LeaderFigures {
  readonly realTime: ProcessSignal | null;
}

const unseen: LastLook = { realTime: null, cpuMs: null, readBytes: null, writtenBytes: null };

/** Reads the end of a child whose output has ended. Both facts are unknown if the child still runs. */
function readEnd(pid: number): LastLook {
  const text = process.platform === 'linux' ? readProcText(`/proc/${pid}/stat`) : null;
  if (text === null) return unseen;
  // wait(2): the signal is in the lowest seven bits.
  const number = Number(text.slice(text.lastIndexOf(' ') + 1)) & 0x7f;
  const cpuMs = toFinalCpuMs(text);
  const disks = cpuMs === null ? unseen : readDiskBytes(pid);
  return { ...disks, realTime: number < firstRealTime ? null : toSignalName(number), cpuMs };
}

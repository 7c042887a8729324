import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Clock } from '../../clock/clock.ts';
import type { ProcessHandle } from '../../process/process-handle.ts';
import { poll } from '../../readiness/poll.ts';
import type { WaitCondition } from './wait-condition.ts';

/** Kernels keep the times of files in steps of up to 10 ms. */
const toleranceMs = 20;

/** Holds when the file is there and was written, or moved there, since the process was started; also after its end. */
export function fileCondition(
  file: string,
  { handle, clock }: { handle: ProcessHandle; clock: Clock },
): WaitCondition {
  const { cwd, createdAt } = handle.view();
  const path = resolve(cwd, file);
  const isThere = () => changedAt(path) >= createdAt - toleranceMs;
  return {
    name: 'file',
    watch: ({ holds }) =>
      poll(clock, async () => {
        if (isThere()) holds();
      }),
    settled: async () => isThere(),
  };
}

/** Milliseconds since the epoch; long ago where there is no file. */
function changedAt(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? Number.NEGATIVE_INFINITY;
  } catch {
    return Number.NEGATIVE_INFINITY;
  }
}

import { expect, test } from 'vitest';
import { createRealClock } from '../../src/clock/real-clock.ts';
import { findStart } from '../../src/readiness/process-start.ts';

/** Holds this thread up as others do on a busy machine. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test.each([1, 2])('a stall before clock reading %d moves no start', async (stalled) => {
  const clock = createRealClock();
  let readings = 0;
  const epochMs = () => {
    readings += 1;
    if (readings === stalled) stall(300);
    return clock.epochMs();
  };
  const treePids = async () => [process.pid];

  const start = await findStart(treePids, { ...clock, epochMs });
  const known = await findStart(treePids, clock);

  expect(Math.abs((start ?? 0) - (known ?? 0))).toBeLessThan(30);
});

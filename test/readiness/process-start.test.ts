import { expect, test } from 'vitest';
import { createRealClock } from '../../src/clock/real-clock.ts';
import { findStart } from '../../src/readiness/process-start.ts';
import { stall } from '../support/os.ts';

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

import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LogLosses } from '../../src/output/log-losses.ts';

test('losses of a log are counted from the first, with its reason', async () => {
  const told: unknown[] = [];
  const losses = new LogLosses((degradation) => told.push(degradation));
  expect([losses.degraded, losses.intactBytes, losses.unwrittenBytes, losses.reason]).toEqual([
    null,
    null,
    0,
    '',
  ]);

  losses.add(0, 90);
  expect(losses.intactBytes).toBeNull();
  losses.degrade('the disk was full', 'ENOSPC');
  losses.add(10, 100);
  losses.degrade('the log was removed', 'ENOENT');
  losses.add(5, 200);
  losses.noteWritten(12);
  await setImmediate();

  expect(losses.degraded).toEqual({ what: 'the disk was full', error: 'ENOSPC', missingBytes: 15 });
  expect([losses.intactBytes, losses.unwrittenBytes, losses.reason]).toEqual([100, 3, 'the log was removed']);
  expect(told).toEqual([{ what: 'the disk was full', error: 'ENOSPC', missingBytes: 15 }]);
  losses.loseAll();
  expect(losses.intactBytes).toBe(0);
});

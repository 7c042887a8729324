import { expect, test } from 'vitest';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { createLog, settle, watch } from './rig.ts';

test('readiness without conditions is met at once', async () => {
  const verdict = watch({}, { clock: createVirtualClock() });
  const atOnce = [...verdict.said];
  await settle();

  expect(atOnce).toEqual([]);
  expect(verdict.said).toEqual(['ready']);
});

test('all conditions must have held', async () => {
  const clock = createVirtualClock();
  const log = createLog(clock);

  const verdict = watch({ line: 'ready', alive: 500 }, { clock, log });
  log.write('stdout', Buffer.from('ready\n'));
  clock.advance(499);
  await settle();
  const before = [...verdict.said];
  clock.advance(1);
  await settle();

  expect(before).toEqual([]);
  expect(verdict.said).toEqual(['ready']);
});

test('the deadline names what is still missing', async () => {
  const clock = createVirtualClock();
  const log = createLog(clock);

  const verdict = watch(
    { line: /up/, alive: 5_000, file: 'x.pid', within: 2_000 },
    { clock, log, cwd: '/nowhere' },
  );
  log.write('stdout', Buffer.from('up\n'));
  clock.advance(2_000);
  await settle();

  expect(verdict.said).toEqual([
    'not ready within 2s: it still waits for /nowhere/x.pid to appear, and for 5s of life',
  ]);
});

test('a verdict is given once and leaves no timer', async () => {
  const clock = createVirtualClock();
  const log = createLog(clock);

  const verdict = watch({ line: 'ready', within: 1_000 }, { clock, log });
  log.write('stdout', Buffer.from('ready\nready\n'));
  clock.advance(10_000);
  await settle();

  expect(verdict.said).toEqual(['ready']);
  expect(clock.pending).toBe(0);
});

test('a cancelled watch says nothing and leaves no timer', async () => {
  const clock = createVirtualClock();
  const log = createLog(clock);
  log.write('stdout', Buffer.from('ready\n'));

  const verdicts = [
    watch({ line: 'ready' }, { clock, log }),
    watch({ file: 'x.pid', port: 1, alive: 10 }, { clock, cwd: '/nowhere' }),
  ];
  for (const verdict of verdicts) verdict.cancel();
  clock.advance(60_000);
  await settle();

  expect(verdicts.flatMap(({ said }) => said)).toEqual([]);
  expect(clock.pending).toBe(0);
});

test('no deadline is a deadline of zero', async () => {
  const clock = createVirtualClock();

  const verdict = watch({ alive: 3_600_000, within: 0 }, { clock });
  clock.advance(3_600_000);
  await settle();

  expect(verdict.said).toEqual(['ready']);
});

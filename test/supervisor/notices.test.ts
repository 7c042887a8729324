import { expect, test } from 'vitest';
import { createVirtualHarness } from '../support/virtual.ts';

const background = { command: 'x', background: true } as const;

test('silence is reported once a window and kills nothing', async () => {
  await using rig = createVirtualHarness({ notifyAfterSilence: '5m', maxBackgroundTime: 0 });
  const handle = rig.supervisor.start(background);

  rig.clock.advance(299_999);
  expect(rig.count('process.silent')).toBe(0);
  rig.clock.advance(1);
  expect(rig.count('process.silent')).toBe(1);
  rig.clock.advance(299_999);
  expect(rig.count('process.silent')).toBe(1);
  rig.clock.advance(1);

  expect(rig.count('process.silent')).toBe(2);
  expect(handle.status).toBe('backgrounded');
  expect(rig.run(0).signals).toEqual([]);
});

test('output breaks the silence', async () => {
  await using rig = createVirtualHarness({ notifyAfterSilence: '5m', maxBackgroundTime: 0 });
  rig.supervisor.start(background);

  for (let minute = 0; minute < 60; minute += 4) {
    rig.clock.advance(4 * 60_000);
    rig.run(0).print('.');
  }

  expect(rig.count('process.silent')).toBe(0);
});

test('output after a notice begins a new window', async () => {
  await using rig = createVirtualHarness({ notifyAfterSilence: '5m', maxBackgroundTime: 0 });
  rig.supervisor.start(background);
  rig.clock.advance(5 * 60_000);
  rig.clock.advance(4 * 60_000);
  rig.run(0).print('.');

  rig.clock.advance(4 * 60_000);
  expect(rig.count('process.silent')).toBe(1);
  rig.clock.advance(60_000);

  expect(rig.count('process.silent')).toBe(2);
});

test('a foreground process is not told to be silent', async () => {
  await using rig = createVirtualHarness({ notifyAfterSilence: '1m', timeout: 0, maxExecutionTime: 0 });
  rig.supervisor.start({ command: 'x' });

  rig.clock.advance(3_600_000);

  expect(rig.count('process.silent')).toBe(0);
});

test('silence can be switched off', async () => {
  await using rig = createVirtualHarness({ maxBackgroundTime: 0 });
  rig.supervisor.start({ ...background, notifyAfterSilence: 0 });

  rig.clock.advance(86_400_000);

  expect(rig.count('process.silent')).toBe(0);
});

test('a long run is reported once if notifyAfter is set', async () => {
  await using rig = createVirtualHarness({ maxBackgroundTime: 0, notifyAfter: '10m' });
  rig.supervisor.start(background);

  rig.clock.advance(599_999);
  expect(rig.count('process.elapsed')).toBe(0);
  rig.clock.advance(86_400_000);

  expect(rig.count('process.elapsed')).toBe(1);
});

test('a stopping process is not reported silent', async () => {
  await using rig = createVirtualHarness({ notifyAfterSilence: 1_000, killGrace: '1h' });
  const handle = rig.supervisor.start(background);
  rig.run(0).obeys = (signal) => signal === 'SIGKILL';
  void handle.kill();

  rig.clock.advance(60_000);

  expect(rig.count('process.silent')).toBe(0);
});

import { expect, test } from 'vitest';
import { waitForProcesses } from '../../../src/cli/verbs/wait/wait.ts';
import type { WaitFlags } from '../../../src/cli/verbs/wait/wait-for-each.ts';
import type { FinalView } from '../../../src/process/process-view.ts';
import { createVirtualClock } from '../../../src/testing/virtual-clock.ts';
import { waitUntil } from '../../support/os.ts';
import { fakeIo } from '../fake-io.ts';
import { fakeStateDirectory } from '../fake-state-directory.ts';
import { endedView, processView } from '../process-views.ts';

const ends = (id: string, facts: Partial<FinalView>): FinalView => ({
  ...(endedView({ id }) as FinalView),
  ...facts,
});

function wait(
  words: readonly string[],
  { flags = {}, columns }: { flags?: WaitFlags; columns?: number } = {},
) {
  const fake = fakeIo({ ...(columns !== undefined && { columns }) });
  const clock = createVirtualClock();
  const state = fakeStateDirectory([
    { view: processView({ id: 'tool_a', label: 'server' }) },
    { view: processView({ id: 'tool_b' }) },
  ]);
  const code = waitForProcesses({ words, flags, io: fake.io, open: state.open, clock });
  return { ...fake, clock, code, end: state.end, orders: state.orders };
}

test.each([
  ['the code of the process', { reason: { type: 'exited', code: 7 } }, 7],
  ['the signal of the process', { reason: { type: 'signalled', signal: 'SIGKILL', by: 'outside' } }, 137],
  ['124 after a time limit', { reason: { type: 'timed_out', limit: 'maxExecutionTime', afterMs: 5 } }, 124],
] as const)('wait ends with %s', async (_, facts, expected) => {
  const { code, stdout, end } = wait(['server']);

  end(ends('tool_a', facts));

  expect(await code).toBe(expected);
  expect(stdout()).toMatch(/^tool_a (exited|was).*\.\n$/);
});

test('wait returns the first failure in the order given', async () => {
  const { code, end } = wait(['tool_b', 'tool_a']);

  end(ends('tool_a', { reason: { type: 'exited', code: 4 } }));
  end(ends('tool_b', { reason: { type: 'exited', code: 3 } }));

  expect(await code).toBe(3);
});

test('wait leaves the process alone after its timeout', async () => {
  const { code, stderr, clock, orders } = wait(['server'], { flags: { timeout: '5s' } });
  await waitUntil(() => clock.pending > 0);

  await clock.advance(5_000);

  expect(await code).toBe(124);
  expect(stderr()).toContain('tool_a (server) had not ended after 5s');
  expect(orders).toEqual(['close']);
});

test('a signal ends the wait and leaves the process', async () => {
  const { code, orders } = wait(['server']);
  await waitUntil(() => process.listenerCount('SIGHUP') > 0);

  process.emit('SIGHUP');

  expect(await code).toBe(129);
  expect(orders).toEqual(['close']);
  expect(process.listenerCount('SIGHUP')).toBe(0);
});

test('wait names pending processes at a terminal', async () => {
  const { code, stderr, stdout, clock, end } = wait(['server', 'tool_b'], { columns: 80 });
  await waitUntil(() => stderr().includes('Waiting for tool_a (server), tool_b'));

  await clock.advance(12_000);
  end(ends('tool_a', {}));
  await waitUntil(() => stderr().includes('Waiting for tool_b · 12s'));
  end(ends('tool_b', {}));

  expect(await code).toBe(7);
  expect(stderr().endsWith('\r\x1b[K')).toBe(true);
  expect(stdout().split('\n')).toHaveLength(3);
});

test('wait --json prints a line for each end', async () => {
  const { code, stdout, end } = wait(['server', 'tool_b'], { flags: { json: true } });
  const views = [ends('tool_b', { label: null }), ends('tool_a', { label: 'server' })];

  for (const view of views) end(view);
  await code;

  expect(
    stdout()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(expect.arrayContaining(views));
});

test('wait fails at once when one process is unknown', async () => {
  const { code, stderr } = wait(['server', 'nobody']);

  expect(await code).toBe(1);
  expect(stderr()).toContain('"nobody" not found');
});

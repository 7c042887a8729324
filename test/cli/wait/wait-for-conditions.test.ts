import { expect, test } from 'vitest';
import {
  type ConditionFlags,
  parseConditions,
  waitForConditions,
} from '../../../src/cli/verbs/wait/conditions.ts';
import type { Waited } from '../../../src/process/waited.ts';
import type { WaitOrder } from '../../../src/state-directory/state-directory.ts';
import { createVirtualClock } from '../../../src/testing/virtual-clock.ts';
import { waitUntil } from '../../support/os.ts';
import { fakeIo } from '../fake-io.ts';
import { fakeStateDirectory } from '../fake-state-directory.ts';
import { endedView, processView } from '../process-views.ts';

type Comes = Omit<Waited, 'process'>;

const met: Comes = {
  end: { type: 'met' },
  met: ['port'],
  missing: [],
  impossible: [],
  waitedMs: 1_200,
  matchedLine: null,
};

function wait(
  waited: Comes | null,
  { order = { port: 3000 }, flags = {} }: { order?: WaitOrder; flags?: object } = {},
) {
  const fake = fakeIo();
  const clock = createVirtualClock();
  const state = fakeStateDirectory([
    {
      view: waited?.end.type === 'ended' ? endedView({ id: 'tool_a' }) : processView({ id: 'tool_a' }),
      ...(waited !== null && { waited }),
    },
  ]);
  const signals: AbortSignal[] = [];
  const open: typeof state.open = () => {
    const directory = state.open();
    const waitFor: typeof directory.waitFor = (id, order, options) => {
      if (options?.signal !== undefined) signals.push(options.signal);
      return directory.waitFor(id, order, options);
    };
    return { ...directory, waitFor };
  };
  const code = waitForConditions({ words: ['tool_a'], order, flags, io: fake.io, open, clock });
  return { ...fake, code, clock, signals, orders: state.orders };
}

test('wait reports a met condition with its duration', async () => {
  const { code, stdout, orders } = wait(met);

  expect(await code).toBe(0);
  expect(stdout()).toBe('tool_a: it listens on port 3000, after 1.2s\n');
  expect(orders).toEqual([{ waitFor: 'tool_a', port: 3000 }, 'close']);
});

test('wait prints the matching line', async () => {
  const order = { pattern: 'ready on \\d+' };
  const { code, stdout } = wait({ ...met, met: ['pattern'], matchedLine: 'ready on 80' }, { order });

  expect(await code).toBe(0);
  expect(stdout()).toBe('tool_a: it prints a line that matches /ready on \\d+/, after 1.2s: ready on 80\n');
});

test.each<[string, Comes, string]>([
  [
    'an end before it',
    { ...met, end: { type: 'ended' }, met: [], missing: ['port'] },
    'tool_a: it exited with code 7. Waited until it listens on port 3000.',
  ],
  [
    'what cannot be',
    { ...met, end: { type: 'impossible', why: 'port: node (pid 4) has it.' }, met: [], missing: ['port'] },
    'tool_a: port: node (pid 4) has it. Waited until it listens on port 3000.',
  ],
  [
    'an end with what could not be',
    {
      ...met,
      end: { type: 'ended' },
      met: [],
      missing: ['port'],
      impossible: ['port: node (pid 4) has it.'],
    },
    'tool_a: it exited with code 7; port: node (pid 4) has it. Waited until it listens on port 3000.',
  ],
])('wait reports %s and ends with 1', async (_name, waited, words) => {
  const { code, stdout, stderr } = wait(waited);

  expect(await code).toBe(1);
  expect(stdout()).toBe('');
  expect(stderr()).toBe(`troupe: ${words}\n`);
});

test('wait prints the absolute path of an awaited file', async () => {
  const order = { file: 'dist/app.js' };
  const { code, stderr } = wait({ ...met, end: { type: 'ended' }, met: [], missing: ['file'] }, { order });

  expect(await code).toBe(1);
  expect(stderr()).toContain('/project/dist/app.js is there, written since its start.');
});

test('wait ends with 124 after its timeout', async () => {
  const { code, stderr, clock, signals } = wait(null, { flags: { timeout: '5s' } });
  await waitUntil(() => clock.pending > 0);

  clock.advance(5_000);

  expect(await code).toBe(124);
  expect(stderr()).toContain('tool_a: the conditions were not met after 5s');
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

test('wait --json prints the result of the wait', async () => {
  const { code, stdout } = wait(met, { flags: { json: true } });

  await code;

  expect(JSON.parse(stdout())).toMatchObject({ id: 'tool_a', end: { type: 'met' }, met: ['port'] });
});

test.each<[ConditionFlags, WaitOrder | null]>([
  [{}, null],
  [{ exit: true }, null],
  [
    { port: '3000', text: 'up', all: true },
    { port: 3000, text: 'up', mode: 'all' },
  ],
  [
    { quietFor: '5s', exit: true },
    { quiet: 5_000, exit: true, mode: 'any' },
  ],
  [
    { portFree: '80', input: true, any: true },
    { portFree: 80, input: true, mode: 'any' },
  ],
])('the flags %j wait for %j', (flags, order) => {
  expect(parseConditions(flags)).toEqual(order);
});

test.each<[ConditionFlags, string]>([
  [{ port: '70000' }, '--port is "70000"'],
  [{ http: 'localhost' }, '--http is "localhost"'],
  [{ text: '' }, '--text is empty'],
  [{ quietFor: 'long' }, '--quiet-for is "long"'],
  [{ any: true, all: true, ready: true }, 'exclude each other'],
  [{ all: true }, '--all needs conditions'],
])('wait refuses %j', (flags, problem) => {
  expect(() => parseConditions(flags)).toThrow(problem);
});

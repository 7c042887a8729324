import { expect, test, vi } from 'vitest';
import { awaitConditions } from '../../src/observe/wait/await-conditions.ts';
import type { WaitCondition } from '../../src/observe/wait/wait-condition.ts';
import type { ConditionName } from '../../src/process/waited.ts';
import { createVirtualClock } from '../../src/testing/index.ts';

/** A condition that a test fulfils itself. */
function condition(name: ConditionName, own: { settled?: boolean; holdsAtOnce?: boolean } = {}) {
  const cancel = vi.fn();
  const told: { holds(): void; impossible(why: string): void }[] = [];
  const watch: WaitCondition['watch'] = (tell) => {
    told.push(tell);
    if (own.holdsAtOnce === true) tell.holds();
    return cancel;
  };
  const { settled } = own;
  return {
    ...{ name, watch, cancel },
    ...(settled !== undefined && { settled: async () => settled }),
    holds: () => told[0]?.holds(),
    impossible: (why: string) => told[0]?.impossible(why),
    isWatched: () => told.length > 0,
  };
}

type Waiting = Partial<Parameters<typeof awaitConditions>[0]>;

function arrange(options: Waiting & { readonly conditions: readonly WaitCondition[] }) {
  const clock = createVirtualClock();
  const last = condition('exit');
  const waiting = awaitConditions({
    ...{ mode: 'any', last, timeoutMs: null, clock, interrupt: null },
    ...options,
  });
  return { clock, last, waiting };
}

test('the first of any conditions ends the wait, and nothing stays watched', async () => {
  const [text, port] = [condition('text'), condition('port')];
  const { clock, last, waiting } = arrange({ conditions: [text, port], timeoutMs: 5_000 });
  clock.advance(1_234.4);

  port.holds();
  text.holds();

  expect(await waiting).toEqual({
    ...{ end: { type: 'met' }, met: ['port'], missing: ['text'], impossible: [], waitedMs: 1_234 },
  });
  for (const each of [text, port, last]) expect(each.cancel).toHaveBeenCalled();
});

test('all conditions must hold, in any order', async () => {
  const [text, port] = [condition('text'), condition('port')];
  const { clock, waiting } = arrange({ conditions: [text, port], mode: 'all' });

  port.holds();
  port.holds();
  expect(port.cancel).toHaveBeenCalled();
  clock.advance(10);
  text.holds();

  expect(await waiting).toMatchObject({
    end: { type: 'met' },
    met: ['port', 'text'],
    missing: [],
    waitedMs: 10,
  });
});

test('a condition that holds at once is watched no longer, and what follows is not begun', async () => {
  const [first, second] = [condition('text', { holdsAtOnce: true }), condition('port')];
  const { last, waiting } = arrange({ conditions: [first, second] });

  expect((await waiting).met).toEqual(['text']);
  expect(first.cancel).toHaveBeenCalledOnce();
  expect([second.isWatched(), last.isWatched()]).toEqual([false, false]);
});

test('an impossible condition ends a wait for all', async () => {
  const [text, port] = [condition('text'), condition('port')];
  const { waiting } = arrange({ conditions: [text, port], mode: 'all' });

  text.impossible('it has no output');

  expect(await waiting).toMatchObject({
    ...{ end: { type: 'impossible', why: 'text: it has no output' }, met: [], missing: ['text', 'port'] },
    impossible: ['text: it has no output'],
  });
});

test('a wait for any ends when each is impossible', async () => {
  const [text, port] = [condition('text'), condition('port')];
  const { waiting } = arrange({ conditions: [text, port] });

  text.impossible('a');
  text.impossible('b');
  port.impossible('c');

  expect((await waiting).end).toEqual({ type: 'impossible', why: 'text: b; port: c' });
});

test('an impossible condition may hold after all', async () => {
  const [text, port] = [condition('text'), condition('port')];
  const { waiting } = arrange({ conditions: [text, port] });

  text.impossible('a');
  text.holds();

  expect(await waiting).toMatchObject({ end: { type: 'met' }, met: ['text'], impossible: [] });
});

test('an impossible end of the process ends any wait', async () => {
  const { last, waiting } = arrange({ conditions: [condition('text'), condition('port')] });

  last.impossible('its supervisor ended');

  expect((await waiting).end).toEqual({ type: 'impossible', why: 'exit: its supervisor ended' });
});

test('the end of the process ends the wait, after what can be settled', async () => {
  const { last, waiting } = arrange({
    conditions: [condition('text', { settled: false }), condition('port')],
  });

  last.holds();

  expect(await waiting).toMatchObject({ end: { type: 'ended' }, met: [], missing: ['text', 'port'] });
});

test('a condition that is settled at the end counts before the end', async () => {
  const { last, waiting } = arrange({ conditions: [condition('text', { settled: true })] });

  last.holds();

  expect(await waiting).toMatchObject({ end: { type: 'met' }, met: ['text'] });
});

test('the end of the process may be a condition itself', async () => {
  const last = condition('exit');
  const { waiting } = arrange({ conditions: [condition('text', { settled: false }), last], last });

  last.holds();

  expect(await waiting).toMatchObject({ end: { type: 'met' }, met: ['exit'], missing: ['text'] });
});

test('a wait ends at its timeout', async () => {
  const { clock, waiting } = arrange({ conditions: [condition('text')], timeoutMs: 500 });
  const ended = vi.fn();
  void waiting.then(ended);

  clock.advance(499);
  await new Promise(setImmediate);
  expect(ended).not.toHaveBeenCalled();
  clock.advance(1);

  expect(await waiting).toMatchObject({ end: { type: 'timeout' }, waitedMs: 500 });
});

test('a timeout of 0 ends a wait for what does not hold already', async () => {
  const { clock, waiting } = arrange({ conditions: [condition('text')], timeoutMs: 0 });

  clock.advance(0);

  expect((await waiting).end).toEqual({ type: 'timeout' });
});

test('an interruption ends a wait, also before it began', async () => {
  const controller = new AbortController();
  const { waiting } = arrange({ conditions: [condition('text')], interrupt: controller.signal });

  controller.abort();

  expect((await waiting).end).toEqual({ type: 'interrupted' });
  const late = arrange({ conditions: [condition('text')], interrupt: controller.signal });
  expect((await late.waiting).end).toEqual({ type: 'interrupted' });
});

test('a wait that has ended listens to no signal', async () => {
  const { signal } = new AbortController();
  const remove = vi.spyOn(signal, 'removeEventListener');
  const text = condition('text');
  const { waiting } = arrange({ conditions: [text], interrupt: signal });

  text.holds();
  await waiting;

  expect(remove).toHaveBeenCalledWith('abort', expect.any(Function));
});

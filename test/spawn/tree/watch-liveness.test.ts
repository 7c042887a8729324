import { expect, test } from 'vitest';
import type { TreeMember } from '../../../machines/process/context.ts';
import type { Clock } from '../../../src/clock/clock.ts';
import { watchLiveness } from '../../../src/spawn/tree/watch-liveness.ts';

/** Clock whose timers are fired by hand. */
function createHandClock(): { clock: Clock; pausesMs: number[]; next(): Promise<void> } {
  let now = 0;
  const due: { atMs: number; callback: () => void }[] = [];
  const pausesMs: number[] = [];
  return {
    pausesMs,
    clock: {
      nowMs: () => now,
      epochMs: () => now,
      at: (atMs, callback) => {
        const timer = { atMs, callback };
        pausesMs.push(atMs - now);
        due.push(timer);
        return () => void due.splice(due.indexOf(timer), due.includes(timer) ? 1 : 0);
      },
    },
    next: async () => {
      const timer = due.shift();
      now = timer?.atMs ?? now;
      timer?.callback();
      await settle();
    },
  };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const member = (pid: number): TreeMember => ({ pid, pgid: pid, startedAt: '1', command: 'x' });

function watchOf(alive: TreeMember[], { fails = false } = {}) {
  const hand = createHandClock();
  const said: string[] = [];
  const state = { alive, looks: 0, fails, looksAtMs: [] as number[] };
  const look = async (): Promise<boolean> => {
    state.looks += 1;
    state.looksAtMs.push(hand.clock.nowMs());
    if (state.fails) throw new Error('no table');
    return state.alive.length > 0;
  };
  const watch = watchLiveness(
    {
      isKnownMemberAlive: async () => state.alive.length > 0,
      isAnyMemberAlive: look,
      alive: () => state.alive,
    },
    {
      clock: hand.clock,
      onGone: () => said.push('gone'),
      onAlive: (members) => said.push(members.map(({ pid }) => pid).join()),
      reportError: (error) => said.push(String(error)),
    },
  );
  return { hand, said, state, watch };
}

test('pauses grow from five to fifty milliseconds', async () => {
  const { hand } = watchOf([member(7)]);
  await settle();

  for (let turn = 0; turn < 10; turn += 1) await hand.next();

  expect(hand.pausesMs.slice(0, 8)).toEqual([5, 7.5, 11.25, 16.875, 25.3125, 37.96875, 50, 50]);
});

test('a change of the living members is reported', async () => {
  const { hand, said, state } = watchOf([member(7), member(8)]);
  await settle();
  await hand.next();
  state.alive = [member(8)];
  await hand.next();
  state.alive = [];
  await hand.next();
  await hand.next();

  expect(said).toEqual(['7,8', '8', 'gone']);
});

test('new members are searched rarely while a known one lives', async () => {
  const { hand, state } = watchOf([member(7)]);
  await settle();

  for (let turn = 0; turn < 15; turn += 1) await hand.next();

  expect(state.looks).toBeLessThan(4);
});

test('checkNow does not wait for the timer', async () => {
  const { said, state, watch } = watchOf([member(7)]);
  await settle();

  state.alive = [];
  watch.checkNow();
  await settle();

  expect(said).toEqual(['7', 'gone']);
});

test('a failed check is reported and repeated', async () => {
  const { hand, said, state } = watchOf([], { fails: true });
  await settle();
  expect(said[0]).toBe('Error: no table');

  state.fails = false;
  await hand.next();

  expect(said.at(-1)).toBe('gone');
});

test('pauses between searches for new members double up to two seconds', async () => {
  const { hand, state } = watchOf([member(7)]);
  await settle();

  while (state.looks < 7) await hand.next();

  const pausesMs = state.looksAtMs.map((atMs, index) => atMs - (state.looksAtMs[index - 1] ?? 0)).slice(1);
  for (const [index, atLeastMs] of [250, 500, 1_000, 2_000, 2_000, 2_000].entries()) {
    expect(pausesMs[index]).toBeGreaterThanOrEqual(atLeastMs);
    expect(pausesMs[index]).toBeLessThan(atLeastMs + 50);
  }
});

test('a cancelled watch looks no more and reports nothing', async () => {
  const { hand, said, state, watch } = watchOf([member(7)]);
  await settle();

  watch.cancel();
  await hand.next();
  state.alive = [];
  watch.checkNow();
  await settle();

  expect(state.looks).toBe(1);
  expect(said).toEqual(['7']);
});

test('a watch cancelled during a look reports nothing of it', async () => {
  const { said, watch } = watchOf([]);

  watch.cancel();
  await settle();

  expect(said).toEqual([]);
});

test('a check starts with short pauses again', async () => {
  const { hand, state, watch } = watchOf([member(7)]);
  await settle();
  for (let turn = 0; turn < 10; turn += 1) await hand.next();
  const before = hand.pausesMs.length;

  watch.checkNow();
  watch.checkNow();
  await settle();

  expect(hand.pausesMs.slice(before)).toEqual([5]);
  state.alive = [];
  await hand.next();
});

test('an error of a listener is reported and ends nothing', async () => {
  const hand = createHandClock();
  const errors: string[] = [];
  let alive: TreeMember[] = [member(7)];
  watchLiveness(
    {
      isKnownMemberAlive: async () => alive.length > 0,
      isAnyMemberAlive: async () => alive.length > 0,
      alive: () => alive,
    },
    {
      clock: hand.clock,
      onGone: () => {
        throw new Error('heard that it is gone');
      },
      onAlive: (members) => {
        throw new Error(`heard of ${members.length}`);
      },
      reportError: (error) => errors.push(String(error)),
    },
  );
  await settle();
  alive = [member(7), member(8)];
  await hand.next();
  alive = [];
  await hand.next();

  expect(errors).toEqual(['Error: heard of 1', 'Error: heard of 2', 'Error: heard that it is gone']);
});

test('the same members in another order are no change', async () => {
  const { hand, said, state } = watchOf([member(7), member(8)]);
  await settle();

  state.alive = [member(8), member(7)];
  await hand.next();

  expect(said).toEqual(['7,8']);
});

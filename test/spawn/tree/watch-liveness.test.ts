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
  const state = { alive, looks: 0, fails };
  const look = async (): Promise<boolean> => {
    state.looks += 1;
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

  expect(hand.pausesMs[0]).toBe(5);
  expect(hand.pausesMs.at(-1)).toBe(50);
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

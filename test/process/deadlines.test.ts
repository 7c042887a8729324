import { expect, test } from 'vitest';
import { createDeadlines } from '../../src/process/deadlines.ts';
import { createVirtualClock } from '../../src/testing/index.ts';

function createRig() {
  const clock = createVirtualClock();
  const reached: string[] = [];
  let lastOutputAtMs = 0;
  const deadlines = createDeadlines({
    clock,
    lastOutputAtMs: () => lastOutputAtMs,
    onReached: ({ type, atMs }) => reached.push(`${type} at ${atMs}`),
  });
  const print = () => {
    lastOutputAtMs = clock.nowMs();
  };
  return { clock, reached, deadlines, print };
}

test('a deadline comes once and on time', () => {
  const { clock, reached, deadlines } = createRig();
  deadlines.arm({ deadline: 'grace', afterMs: 100, from: 'now' }, null);

  clock.advance(99);
  expect(reached).toEqual([]);
  clock.advance(10_000);

  expect(reached).toEqual(['deadline.grace at 100']);
});

test('a limit counts from the start', () => {
  const { clock, reached, deadlines } = createRig();
  clock.advance(50);

  deadlines.arm({ deadline: 'background', afterMs: 100, from: 'start' }, 10);
  clock.advance(1_000);

  expect(reached).toEqual(['deadline.background at 110']);
});

test('a limit that has already passed comes at once', () => {
  const { clock, reached, deadlines } = createRig();
  clock.advance(500);

  deadlines.arm({ deadline: 'background', afterMs: 100, from: 'start' }, 10);
  clock.advance(0);

  expect(reached).toEqual(['deadline.background at 500']);
});

test('arming replaces a deadline, and null disarms it', () => {
  const { clock, reached, deadlines } = createRig();
  deadlines.arm({ deadline: 'wait', afterMs: 100, from: 'now' }, null);
  deadlines.arm({ deadline: 'wait', afterMs: 200, from: 'now' }, null);
  deadlines.arm({ deadline: 'execution', afterMs: 100, from: 'now' }, null);

  deadlines.arm({ deadline: 'execution', afterMs: null, from: 'now' }, null);
  clock.advance(1_000);

  expect(reached).toEqual(['deadline.wait at 200']);
});

test('silence counts from the last byte', () => {
  const { clock, reached, deadlines, print } = createRig();
  deadlines.arm({ deadline: 'silence', afterMs: 100, from: 'lastOutput' }, 0);
  clock.advance(60);
  print();

  clock.advance(1_000);

  expect(reached).toEqual(['deadline.silence at 160']);
});

test('a broken silence counts from the last byte', () => {
  const { clock, reached, deadlines, print } = createRig();
  clock.advance(100);
  deadlines.arm({ deadline: 'silence', afterMs: 100, from: 'now' }, 0);
  clock.advance(99);
  print();

  clock.advance(50);
  expect(reached).toEqual([]);
  clock.advance(1_000);

  expect(reached).toEqual(['deadline.silence at 299']);
});

test('disarming all deadlines leaves no timer', () => {
  const { clock, reached, deadlines } = createRig();
  for (const deadline of ['wait', 'execution', 'silence'] as const) {
    deadlines.arm({ deadline, afterMs: 100, from: 'now' }, null);
  }

  deadlines.disarmAll();
  clock.advance(1_000);

  expect(reached).toEqual([]);
  expect(clock.pending).toBe(0);
});

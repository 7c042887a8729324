import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ChangeSignal } from '../../src/process/change-signal.ts';

function arrange() {
  let told = 0;
  const changes = new ChangeSignal('tool_a', {
    emit: () => {
      told += 1;
    },
  });
  return { changes, told: () => told };
}

test('a condition that holds is not awaited', async () => {
  await expect(arrange().changes.until(() => true)).resolves.toBeUndefined();
});

test('a condition is checked after each change', async () => {
  const { changes, told } = arrange();
  let [checks, holds, isOver] = [0, false, false];
  void changes
    .until(() => {
      checks += 1;
      return holds;
    })
    .then(() => {
      isOver = true;
    });

  changes.notify();
  await setImmediate();
  expect([checks, isOver]).toEqual([2, false]);
  holds = true;
  changes.notify();
  await setImmediate();
  changes.notify();

  expect([checks, isOver, told()]).toEqual([3, true, 3]);
});

test('an abort ends the wait', async () => {
  const { changes } = arrange();
  const stop = new AbortController();
  let checks = 0;
  const never = () => {
    checks += 1;
    return false;
  };
  const waiting = changes.until(never, stop.signal);

  stop.abort();
  await waiting;
  const before = checks;
  changes.notify();
  await changes.until(never, stop.signal);

  expect(checks).toBe(before + 1);
});

test('a value is emitted when it is another, until the last', () => {
  const { changes } = arrange();
  const seen: unknown[] = [];
  let [value, isLast] = [Number.NaN, false];
  const source = { current: () => value, isLast: () => isLast, onSubscriberError: () => {} };
  changes
    .observe(source)
    .subscribe({ next: (each) => seen.push(each), complete: () => seen.push('complete') });

  changes.notify();
  value = 1;
  changes.notify();
  changes.notify();
  value = 2;
  isLast = true;
  changes.notify();
  value = 3;
  changes.notify();

  expect(seen).toEqual([Number.NaN, 1, 2, 'complete']);
});

test('the value of an ended process completes at once', () => {
  const { changes } = arrange();
  const seen: unknown[] = [];
  const source = {
    current: () => 1,
    isLast: () => true,
    onMore: () => () => {},
    onSubscriberError: () => {},
  };

  changes
    .observe(source)
    .subscribe({ next: (each) => seen.push(each), complete: () => seen.push('complete') });

  expect(seen).toEqual([1, 'complete']);
});

test('another source pushes, too, and is left with the subscription', () => {
  const { changes } = arrange();
  const seen: number[] = [];
  let value = 1;
  let push: () => void = () => {};
  let cancelled = 0;
  const subscription = changes
    .observe({
      ...{ current: () => value, isLast: () => false, onSubscriberError: () => {} },
      onMore: (given) => {
        push = given;
        return () => {
          cancelled += 1;
        };
      },
    })
    .subscribe((each) => seen.push(each));

  value = 2;
  push();
  subscription.unsubscribe();
  value = 3;
  changes.notify();

  expect(seen).toEqual([1, 2]);
  expect(cancelled).toBe(1);
});

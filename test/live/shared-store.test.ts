import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createViewKeeper, isEqualData, toSameList, toSameRecord } from '../../src/live/local-store.ts';
import { createSharedStore } from '../../src/live/shared-store.ts';
import { runningView } from '../support/views.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A store of a number. */
function arrange({ pauseMs }: { readonly pauseMs?: number } = {}) {
  const given = { value: { number: 0 }, opened: 0, closed: 0, costMs: 0 };
  let changed = () => {};
  const store = createSharedStore({
    ...(pauseMs !== undefined && { pauseMs }),
    read: () => {
      vi.advanceTimersByTime(given.costMs);
      return given.value;
    },
    open: (onChange) => {
      given.opened += 1;
      changed = onChange;
      return () => {
        given.closed += 1;
      };
    },
  });
  const heard: number[] = [];
  return {
    ...{ given, store, heard },
    listen: () => store.subscribe(() => heard.push(store.getSnapshot().number)),
    set: (number: number) => {
      given.value = { number };
      changed();
    },
    tell: () => changed(),
  };
}

test('the source is open from the first subscriber to the last', () => {
  const { given, listen } = arrange();
  const [first, second] = [listen(), listen()];
  first();
  first();
  const between = { ...given };

  second();
  listen();

  expect(between).toMatchObject({ opened: 1, closed: 0 });
  expect(given).toMatchObject({ opened: 2, closed: 1 });
});

test('each change is published once, and nothing where nothing has changed', () => {
  const { listen, set, tell, heard } = arrange();
  listen();

  set(1);
  tell();
  set(2);

  expect(heard).toEqual([1, 2]);
});

test('a snapshot is that of the last change while there are subscribers', () => {
  const { given, store, listen } = arrange();
  const stop = listen();
  given.value = { number: 7 };
  const followed = [store.getSnapshot().number, store.getServerSnapshot().number];

  stop();

  expect(followed).toEqual([0, 0]);
  expect([store.getSnapshot().number, store.getServerSnapshot().number]).toEqual([7, 7]);
});

test('a subscriber that leaves during a change is the last that hears it', () => {
  const { store, set } = arrange();
  const heard: string[] = [];
  const stop = store.subscribe(() => {
    heard.push('first');
    stop();
  });
  store.subscribe(() => heard.push('second'));

  set(1);
  set(2);

  expect(heard).toEqual(['first', 'second', 'second']);
});

test('changes within the pause are published together after it', () => {
  const { listen, set, heard } = arrange({ pauseMs: 100 });
  listen();

  set(1);
  set(2);
  vi.advanceTimersByTime(99);
  set(3);
  const before = [...heard];
  vi.advanceTimersByTime(1);
  const after = [...heard];
  vi.advanceTimersByTime(1_000);
  set(4);

  expect([before, after, heard]).toEqual([[1], [1, 3], [1, 3, 4]]);
});

test('reading takes a tenth of the time at most', () => {
  const { given, listen, set, heard } = arrange({ pauseMs: 100 });
  listen();
  given.costMs = 50;

  set(1);
  set(2);
  given.costMs = 0;
  vi.advanceTimersByTime(499);
  const before = [...heard];
  vi.advanceTimersByTime(1);

  expect([before, heard]).toEqual([[1], [1, 2]]);
});

test('a store without subscribers publishes nothing', () => {
  const { listen, set, heard } = arrange({ pauseMs: 100 });
  const stop = listen();
  set(1);
  set(2);

  stop();
  vi.advanceTimersByTime(1_000);

  expect(heard).toEqual([1]);
  expect(vi.getTimerCount()).toBe(0);
});

test.for([
  [1, 1, true],
  [Number.NaN, Number.NaN, true],
  [0, -0, true],
  [1, '1', false],
  [null, null, true],
  [null, {}, false],
  [{}, null, false],
  ['a', {}, false],
  [{ a: 1 }, { a: 1 }, true],
  [{ a: 1 }, { a: 2 }, false],
  [{ a: 1 }, { b: 1 }, false],
  [{ a: undefined }, { b: 1 }, false],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: { b: [1, 2] } }, { a: { b: [1, 2] } }, true],
  [{ a: { b: [1, 2] } }, { a: { b: [1, 3] } }, false],
  [[], {}, false],
  [[1], { 0: 1 }, false],
] as const)('%j and %j are equal data: %s', ([a, b, expected]) => {
  expect(isEqualData(a, b)).toBe(expected);
});

test('a field that does not count may differ at the top only', () => {
  expect(isEqualData({ a: 1, ms: 1 }, { a: 1, ms: 2 }, 'ms')).toBe(true);
  expect(isEqualData({ a: 1, ms: 1 }, { a: 2, ms: 1 }, 'ms')).toBe(false);
  expect(isEqualData({ a: { ms: 1 } }, { a: { ms: 2 } }, 'ms')).toBe(false);
});

test('a list and a record that have not changed are the ones before', () => {
  const [list, record] = [[1, 2], { a: 1, b: 2 }];

  expect([toSameList([1, 2], list), toSameRecord({ a: 1, b: 2 }, record)]).toEqual([list, record]);
  expect(toSameList([1, 2], list)).toBe(list);
  expect(toSameRecord({ a: 1, b: 2 }, record)).toBe(record);
  for (const other of [[1], [1, 2, 3], [2, 1]]) expect(toSameList(other, list)).toBe(other);
  for (const other of [{ a: 1 }, { a: 1, b: 3 }, { a: 1, b: 2, c: 3 }])
    expect(toSameRecord<number>(other, record)).toBe(other);
});

test('a view stays the same object while only its running time differs', () => {
  const keep = createViewKeeper();
  const views = [runningView({ id: 'a' }), runningView({ id: 'b' })];
  keep(views);

  const next = keep([runningView({ id: 'a', runtimeMs: 99_000 }), runningView({ id: 'b', label: 'new' })]);
  const last = keep([runningView({ id: 'b', label: 'new' })]);

  expect(next[0]).toBe(views[0]);
  expect(next[1]).not.toBe(views[1]);
  expect(last[0]).toBe(next[1]);
});

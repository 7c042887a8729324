import { expect, test } from 'vitest';
import type { SupervisedProcess } from '../../src/process/supervised-process.ts';
import { createVirtualClock } from '../../src/testing/index.ts';
import { ActiveWatches } from '../../src/watches/active-watches.ts';
import { withoutBlankEnd } from '../../src/watches/change-source.ts';
import { watchOutput } from '../../src/watches/output-changes.ts';

test.each([
  [[], []],
  [['', ' '], []],
  [['a', '', ' '], ['a']],
  [
    ['', 'a', '', 'b'],
    ['', 'a', '', 'b'],
  ],
])('blank lines at the end are left out: %j is shown as %j', (lines, shown) => {
  expect(withoutBlankEnd(lines)).toEqual(shown);
});

/** The output of a process that grows as a test says. */
function arrange() {
  const clock = createVirtualClock();
  const log = { bytes: 5, onWrite: (callback: () => void) => listen(callback) };
  const reads: unknown[] = [];
  let listener: (() => void) | null = null;
  const listen = (callback: () => void) => {
    listener = callback;
    return () => {
      listener = null;
    };
  };
  const read = (options: unknown) => {
    reads.push(options);
    return { text: 'one\ntwo\n' };
  };
  const process = { output: { log, read } } as unknown as SupervisedProcess;
  const changes = watchOutput(process, { clock });
  return {
    clock,
    changes,
    reads,
    grow: (bytes: number) => {
      log.bytes += bytes;
    },
    notify: () => listener?.(),
    isListening: () => listener !== null,
  };
}

test('every byte is a change, and the end of the output is none', () => {
  const { clock, changes, grow, notify } = arrange();
  const seen = [changes.changedAtMs];
  clock.advance(10);
  notify();
  seen.push(changes.changedAtMs);
  grow(1);
  notify();
  seen.push(changes.changedAtMs);
  clock.advance(10);
  notify();
  seen.push(changes.changedAtMs);

  const [start = 0] = seen;
  expect(seen.map((ms) => ms - start)).toEqual([0, 0, 10, 10]);
});

test('a look finds what the process has written itself', () => {
  const { clock, changes, grow, reads } = arrange();
  const startMs = changes.changedAtMs;
  const shown: (readonly string[])[] = [];
  clock.advance(10);
  grow(1);

  changes.look((lines) => shown.push(lines));

  expect(changes.changedAtMs - startMs).toBe(10);
  expect(shown).toEqual([['one', 'two']]);
  expect(reads).toEqual([{ tail: 20, maxBytes: 4_000 }]);
});

test('the next change is told once', () => {
  const { changes, grow, notify } = arrange();
  let told = 0;
  changes.awaitChange(() => {
    told += 1;
  });

  for (let times = 0; times < 2; times += 1) {
    grow(1);
    notify();
  }

  expect(told).toBe(1);
});

test('a beginning counts as a change, and a stop ends the listening', () => {
  const { clock, changes, isListening } = arrange();
  const startMs = changes.changedAtMs;
  const wasListening = isListening();
  clock.advance(10);

  changes.beginAnew();
  changes.stop();

  expect(changes.changedAtMs - startMs).toBe(10);
  expect([wasListening, isListening()]).toEqual([true, false]);
});

const watching = (processId: string, owner: string) =>
  ({ process: { id: processId }, owner, record: `${processId}/${owner}` }) as never;

test('watches are found by their id, and by their process and owner', () => {
  const watches = new ActiveWatches();
  const [one, two, other] = [watching('a', 'x'), watching('a', 'y'), watching('b', 'x')];
  watches.add('1', { watching: one, isKept: true });
  watches.add('2', { watching: two, isKept: false });
  watches.add('3', { watching: other, isKept: true });

  expect([watches.get('2'), watches.get('9')]).toEqual([two, undefined]);
  expect([watches.find('a', 'y'), watches.find('b', 'y'), watches.find('c', 'x')]).toEqual([
    two,
    undefined,
    undefined,
  ]);
  expect(watches.all()).toEqual([one, two, other]);
  expect([watches.of('a'), watches.of('c')]).toEqual([[one, two], []]);
  expect(watches.recordsOf('a')).toEqual(['a/x']);
});

test('a removed watch leaves the one that took its place', () => {
  const watches = new ActiveWatches();
  const [first, second] = [watching('a', 'x'), watching('a', 'x')];
  watches.add('1', { watching: first, isKept: true });
  watches.add('2', { watching: second, isKept: true });

  watches.remove('1', first);
  const left = [watches.find('a', 'x'), watches.all()];
  watches.remove('2', second);

  expect(left).toEqual([second, [second]]);
  expect([watches.of('a'), watches.all(), watches.find('a', 'x')]).toEqual([[], [], undefined]);
});

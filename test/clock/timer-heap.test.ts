import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTimerHeap, type HeapEntry } from '../../src/clock/timer-heap.ts';

test('entries leave by time, then by arrival', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ atMs: fc.integer({ min: 0, max: 20 }), removed: fc.boolean() })),
      (plan) => {
        const heap = createTimerHeap<HeapEntry>();
        const entries = plan.map(({ atMs }) => ({ atMs, index: -1, order: 0 }));
        for (const entry of entries) heap.add(entry);
        const kept = entries.filter((entry, index) => {
          if (plan[index]?.removed) heap.remove(entry);
          return !plan[index]?.removed;
        });

        const left: HeapEntry[] = [];
        for (let entry = heap.first(); entry !== null; entry = heap.first()) {
          heap.remove(entry);
          left.push(entry);
        }

        expect(left).toEqual(kept.toSorted((a, b) => a.atMs - b.atMs || a.order - b.order));
      },
    ),
  );
});

test('removing an entry twice removes no other entry', () => {
  const heap = createTimerHeap<HeapEntry>();
  const [first, second] = [1, 2].map((atMs) => ({ atMs, index: -1, order: 0 }));
  if (first === undefined || second === undefined) throw new Error('two entries');
  heap.add(first);
  heap.add(second);

  heap.remove(first);
  heap.remove(first);

  expect(heap.first()).toBe(second);
});

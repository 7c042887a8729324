/**
 * The state of an entry in the heap: its time, its index (-1 while it is outside) and its order among equals.
 */
export interface HeapEntry {
  readonly atMs: number;
  index: number;
  order: number;
}

/** A binary heap whose entries know their index, so that a cancelled one is removed in O(log n) and released. */
interface TimerHeap<Entry extends HeapEntry> {
  add(entry: Entry): void;
  /** Removes an entry; does nothing if it is not in the heap. */
  remove(entry: Entry): void;
  /** Returns the earliest entry; among equals the one added first. */
  first(): Entry | null;
}

export function createTimerHeap<Entry extends HeapEntry>(): TimerHeap<Entry> {
  const entries: Entry[] = [];
  let added = 0;

  function place(entry: Entry, index: number): void {
    entries[index] = entry;
    entry.index = index;
  }

  function rise(entry: Entry, from: number): void {
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = entries[parentIndex];
      if (parent === undefined || !isBefore(entry, parent)) break;
      place(parent, index);
      index = parentIndex;
    }
    place(entry, index);
  }

  function sink(entry: Entry, from: number): void {
    let index = from;
    for (;;) {
      const childIndex = earlierChildOf(index);
      const child = entries[childIndex];
      if (child === undefined || !isBefore(child, entry)) break;
      place(child, index);
      index = childIndex;
    }
    place(entry, index);
  }

  function earlierChildOf(index: number): number {
    const left = 2 * index + 1;
    const leftChild = entries[left];
    const rightChild = entries[left + 1];
    if (leftChild === undefined || rightChild === undefined) return left;
    return isBefore(rightChild, leftChild) ? left + 1 : left;
  }

  return {
    add(entry) {
      entry.order = added++;
      rise(entry, entries.length);
    },
    remove(entry) {
      const { index } = entry;
      if (index === -1) return;
      entry.index = -1;
      const last = entries.pop();
      if (last === undefined || last === entry) return;
      sink(last, index);
      rise(last, last.index);
    },
    first: () => entries[0] ?? null,
  };
}

function isBefore(a: HeapEntry, b: HeapEntry): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

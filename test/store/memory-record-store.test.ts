import { expect, test } from 'vitest';
import { createMemoryRecordStore } from '../../src/store/memory-record-store.ts';
import { note, parseNote } from './note.ts';
import { describeRecordStore } from './record-store-conformance.ts';

describeRecordStore('memory', () => {
  const texts = new Map<string, string>();
  return {
    open: () => createMemoryRecordStore({ parse: parseNote, texts }),
    plant: (id, text) => void texts.set(id, text),
    textOf: (id) => texts.get(id) ?? null,
    nameOf: (id) => id,
    end: () => {},
  };
});

test('without a parser what was saved is trusted', () => {
  const store = createMemoryRecordStore<{ anything: number }>();

  store.save('tool_a', { anything: 1 });

  expect(store.load().records).toEqual([{ anything: 1 }]);
  expect(store.texts.get('tool_a')).toBe('{"anything":1}');
});

test('each store has its own records', () => {
  createMemoryRecordStore().save('tool_a', note('one'));

  expect(createMemoryRecordStore().load().records).toEqual([]);
});

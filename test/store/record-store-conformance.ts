import { describe, expect, onTestFinished, test } from 'vitest';
import type { RecordStore } from '../../src/store/record-store.ts';
import { maxRecordBytes } from '../../src/store/record-text.ts';
import { type Note, note } from './note.ts';

/** What a store's own test knows how to do, so that the suite can hold it to the contract. */
export interface RecordStoreUnderTest {
  /** Each one on the same records, as another program would open them. */
  open(): RecordStore<Note>;
  /** Puts a text where the record of `id` belongs, behind the store's back. */
  plant(id: string, text: string): void;
  /** What stands there, `null` where nothing does. */
  textOf(id: string): string | null;
  /** Returns the name under which a damaged record is reported. */
  nameOf(id: string): string;
  end(): void;
}

/** Holds a record store to every sentence of the contract in `src/store/record-store.ts`. */
export function describeRecordStore(name: string, setup: () => RecordStoreUnderTest): void {
  const arrange = () => {
    const underTest = setup();
    onTestFinished(() => underTest.end());
    return { ...underTest, store: underTest.open() };
  };

  describe(`the ${name} record store`, () => {
    test('a saved record is read again', () => {
      const { store, open } = arrange();
      const record: Note = { ...note('grün 🎭 \u0000\ud800'), at: null, parts: [{ name: '"\\\n' }] };

      store.save('tool_a', record);

      expect(store.read('tool_a')).toEqual(record);
      expect(open().read('tool_a')).toEqual(record);
      expect(open().load()).toEqual({ records: [record], damaged: [] });
    });

    test('the last save is the one that counts', () => {
      const { store, open } = arrange();

      for (const text of ['a long first one', 'second', '3']) store.save('tool_a', note(text));

      expect(open().load().records).toEqual([note('3')]);
    });

    test('a store is empty before the first save', () => {
      const { store } = arrange();

      expect(store.read('tool_a')).toBeNull();
      expect(store.load()).toEqual({ records: [], damaged: [] });
    });

    test('every record is loaded once', () => {
      const { store, open } = arrange();
      const notes = Array.from({ length: 40 }, (_, index) => note(`n${index}`));

      for (const [index, each] of notes.entries()) store.save(`tool_${index}`, each);

      const { records, damaged } = open().load();
      expect(records).toHaveLength(40);
      expect(records).toEqual(expect.arrayContaining(notes));
      expect(damaged).toEqual([]);
    });

    test('an inspected record is there, damaged, or missing', () => {
      const { store, plant } = arrange();
      store.save('tool_a', note('one'));
      plant('tool_b', '{');

      expect(store.inspect('tool_a')).toEqual({ ok: true, record: note('one') });
      expect(store.inspect('tool_b')).toEqual({ ok: false, why: expect.stringContaining('it is not JSON') });
      expect(store.inspect('tool_c')).toBeNull();
    });

    test('a read record is a copy', () => {
      const { store } = arrange();
      const saved = { ...note('one'), parts: [{ name: 'part' }] };
      store.save('tool_a', saved);

      saved.parts.push({ name: 'later' });
      const [first, second] = [store.read('tool_a'), store.read('tool_a')];

      expect(first?.parts).toEqual([{ name: 'part' }]);
      expect(second).not.toBe(first);
      expect(second?.parts).not.toBe(first?.parts);
    });

    test('values without JSON form are dropped', () => {
      const { store } = arrange();

      store.save('tool_a', { ...note('one'), at: undefined });

      expect(Object.keys(store.read('tool_a') ?? {})).toEqual(['version', 'text']);
    });

    test('a removed record is gone, and twice is no mistake', () => {
      const { store, open } = arrange();
      store.save('tool_a', note('one'));
      store.save('tool_b', note('two'));

      store.remove('tool_a');
      store.remove('tool_a');
      store.remove('tool_never');

      expect(store.read('tool_a')).toBeNull();
      expect(open().load().records).toEqual([note('two')]);
    });

    test.each([
      '',
      '.',
      '..',
      '../tool_a',
      'a/b',
      '/etc/passwd',
      'a.b',
      'tool_a\n',
      'tool_a\0',
      'töl',
      'x'.repeat(65),
    ])('%j is not an id for any call', (id) => {
      const { store, open } = arrange();
      const refusal = expect.objectContaining({
        code: 'invalid-option',
        message: expect.stringContaining('is not an id'),
      });

      expect(() => store.save(id, note('one'))).toThrow(refusal);
      expect(() => store.read(id)).toThrow(refusal);
      expect(() => store.remove(id)).toThrow(refusal);

      expect(open().load()).toEqual({ records: [], damaged: [] });
    });

    test('an id may have 64 characters of each kind', () => {
      const { store } = arrange();
      const id = `_-aZ09${'x'.repeat(58)}`;

      store.save(id, note('one'));

      expect(store.read(id)).toEqual(note('one'));
    });

    test.each([
      ['', 'it is empty'],
      ['{"version":1,"te', 'it is not JSON: '],
      ['{"version":1}\0\0\0', 'it is not JSON: '],
      ['\u001b[2J', 'it is not JSON: "'],
      ['{"version":7}', 'its version is 7'],
      ['{}', 'its version is undefined'],
    ])('a record %j is reported, kept and skipped', (text, why) => {
      const { store, plant, textOf, nameOf } = arrange();
      store.save('tool_whole', note('one'));
      plant('tool_bad', text);

      const { records, damaged } = store.load();

      expect(records).toEqual([note('one')]);
      expect(damaged).toEqual([{ name: nameOf('tool_bad'), why: expect.stringContaining(why) }]);
      expect(damaged[0]?.why).not.toMatch(/[\u0000-\u001f]/);
      expect(store.read('tool_bad')).toBeNull();
      expect(textOf('tool_bad')).toBe(text);
    });

    test('a record skipped by its beginning is not checked', () => {
      const { store, plant } = arrange();
      store.save('tool_a', note('one'));
      store.save('tool_b', { ...note('two'), parts: [{ name: 'x'.repeat(10_000) }] });
      plant('tool_cut', '{"version":1,"text":"two, and not wh');
      plant('tool_empty', '');
      const beginnings: string[] = [];

      const { records, damaged } = store.load({
        leaveOut: (beginning) => {
          beginnings.push(beginning.slice(0, 23));
          return beginning.startsWith('{"version":1,"text":"two');
        },
      });

      expect(records).toEqual([note('one')]);
      expect(damaged).toEqual([expect.objectContaining({ why: 'it is empty' })]);
      const whole = ['{"version":1,"text":"on', '{"version":1,"text":"tw'];
      expect(beginnings.sort()).toEqual(['', ...whole, whole[1]]);
    });

    test('a save puts a whole record over a damaged one', () => {
      const { store, plant } = arrange();
      plant('tool_a', '{"half');

      store.save('tool_a', note('one'));

      expect(store.load()).toEqual({ records: [note('one')], damaged: [] });
    });

    test('a damaged record can be removed', () => {
      const { store, plant, textOf } = arrange();
      plant('tool_a', '{"half');

      store.remove('tool_a');

      expect(textOf('tool_a')).toBeNull();
    });

    test('a value that cannot be JSON is refused, and the earlier record stays', () => {
      const { store } = arrange();
      store.save('tool_a', note('before'));
      const round: { version: 1; text: string; self?: unknown } = { version: 1, text: 'round' };
      round.self = round;

      expect(() => store.save('tool_a', round)).toThrow(TypeError);
      expect(() => store.save('tool_a', undefined as unknown as Note)).toThrow(TypeError);

      expect(store.read('tool_a')).toEqual(note('before'));
    });

    test('more than could be read again is refused', () => {
      const { store } = arrange();
      store.save('tool_a', note('before'));

      expect(() => store.save('tool_a', note('x'.repeat(maxRecordBytes)))).toThrow(
        expect.objectContaining({ code: 'invalid-option', message: expect.stringContaining('tool_a') }),
      );

      expect(store.read('tool_a')).toEqual(note('before'));
    });

    test('a large record is read again', () => {
      const { store } = arrange();
      const large = note('x'.repeat(5_000_000));

      store.save('tool_a', large);

      expect(store.load().records).toEqual([large]);
    });

    test('two stores on the same records see each other', () => {
      const { open } = arrange();
      const [one, other] = [open(), open()];

      one.save('tool_a', note('theirs'));
      other.save('tool_a', note('ours'));
      other.save('tool_b', note('more'));
      one.remove('tool_b');

      expect(one.read('tool_a')).toEqual(note('ours'));
      expect(other.load().records).toEqual([note('ours')]);
    });
  });
}

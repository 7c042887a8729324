import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDecoder, looksBinary, unfinishedBytes } from '../../src/output/decode.ts';
import { countNewlines } from '../../src/output/newline-count.ts';
import { anyCuts } from './arrange.ts';

describe('decoding', () => {
  test('gives the same text however bytes are cut', () => {
    const bytes = fc.uint8Array({ maxLength: 60 }).map((values) => Buffer.from(values));
    fc.assert(
      fc.property(
        bytes.chain((all) => fc.tuple(fc.constant(all), anyCuts(all))),
        ([all, pieces]) => {
          const decoder = createDecoder();

          const text = pieces.map((piece) => decoder.push(piece)).join('') + decoder.flush();

          expect(text).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(all));
        },
      ),
    );
  });

  test('knows how many bytes of a character are missing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.nat(), (text, place) => {
        const bytes = Buffer.from(text);
        const cut = bytes.subarray(0, place % (bytes.length + 1));

        const whole = cut.subarray(0, cut.length - unfinishedBytes(cut));

        // The text may have a U+FFFD of its own; a divided character would add one that is not in it.
        expect(text.startsWith(whole.toString())).toBe(true);
        expect(cut.length - whole.length).toBeLessThan(4);
      }),
    );
  });

  test('text in eight-bit encodings is not binary', () => {
    const latin = Buffer.from('Die Prüfung der Größe schlägt bei Überlänge fehl.\n'.repeat(20), 'latin1');

    expect(looksBinary([latin])).toBe(false);
    expect(looksBinary([Buffer.alloc(1024)])).toBe(true);
    expect(looksBinary([Buffer.from('text with one \0 in it, and more text')])).toBe(false);
  });

  test('newlines are counted exactly at any length', () => {
    const lengths = fc.oneof(
      fc.integer({ min: 0, max: 600 }),
      fc.constantFrom(65_535, 65_536, 65_537, 200_001),
    );
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 40 }), fc.nat(15), (length, every, lead) => {
        const bytes = Buffer.alloc(length + lead, 10).subarray(lead);
        for (let index = 0; index < length; index += 1) bytes[index] = index % every === 0 ? 10 : 11;

        expect(countNewlines(bytes)).toBe(Math.ceil(length / every));
      }),
    );
  });
});

import { describe, expect, test } from 'vitest';
import { cutText, formatBytes, joinParts, type TextPart } from '../../src/output/cut-text.ts';

const text = (content: string): TextPart => ({ type: 'text', text: content });
const gap = (bytes: number, line: string | null = `(${bytes} missing)`): TextPart => ({
  type: 'gap',
  bytes,
  line,
});
const cut = (parts: readonly TextPart[], maxBytes: number) => cutText(parts, { maxBytes, where: '; see x' });

test.each([
  [0, '0 bytes'],
  [1_023, '1023 bytes'],
  [1_024, '1.0 KiB'],
  [1_536, '1.5 KiB'],
  [1_048_575, '1024.0 KiB'],
  [1_048_576, '1.0 MiB'],
  [1_073_741_823, '1024.0 MiB'],
  [1_073_741_824, '1.0 GiB'],
  [2_684_354_560, '2.5 GiB'],
])('%i bytes are %s', (bytes, expected) => {
  expect(formatBytes(bytes)).toBe(expected);
});

describe('joined parts', () => {
  test.each([
    [[text('a'), text('b')], 'ab'],
    [[text('a\n'), gap(1), text('b')], 'a\n(1 missing)\nb'],
    [[text('a'), gap(1), text('b')], 'a\n(1 missing)\nb'],
    [[gap(1), text('b')], '(1 missing)\nb'],
    [[], ''],
  ])('have gaps on lines of their own: %j', (parts, expected) => {
    expect(joinParts(parts)).toBe(expected);
  });
});

describe('cut text', () => {
  test('is unchanged where it fits, and its gaps count as omitted', () => {
    expect(cut([text('12345'), gap(7), text('67890')], 10)).toEqual({
      ...{ text: '12345\n(7 missing)\n67890', omittedBytes: 7, isCut: false },
    });
  });

  test('has a quarter of the limit as head, and the rest as tail', () => {
    expect(cut([text('abcdefghijklm')], 12)).toEqual({
      ...{ text: 'abc\n[… 1 bytes left out; see x …]\nefghijklm', omittedBytes: 1, isCut: true },
    });
  });

  test('counts bytes, and divides no character', () => {
    const { text: shown, omittedBytes } = cut([text('ä'.repeat(20))], 21);

    expect(shown).toBe(`ää\n[… 20 bytes left out; see x …]\n${'ä'.repeat(8)}`);
    expect(omittedBytes).toBe(20);
  });

  test('is cut at line breaks near the places', () => {
    const lines = 'ab\ncdefghijklmnopqrs\ntuvwxyz123456';

    // The head has room for 4 bytes, of which "ab\n" is more than half; the tail begins at a line within its first half.
    expect(cut([text(lines)], 19).text).toBe('ab\n[… 18 bytes left out; see x …]\ntuvwxyz123456');
  });

  test('is cut at the place itself where the next line break is far', () => {
    expect(cut([text('a\nbcdefghijklmnopqrstuvwx\nyz')], 16).text).toBe(
      'a\nbc\n[… 12 bytes left out; see x …]\npqrstuvwx\nyz',
    );
  });

  test('is cut at a gap without a line, whatever its length', () => {
    expect(cut([text('ab'), gap(5, null), text('cd')], 100)).toEqual({
      ...{ text: 'ab\n[… 5 bytes left out; see x …]\ncd', omittedBytes: 5, isCut: true },
    });
  });

  test('counts gaps beside the cut with it, and keeps others', () => {
    const parts = [
      text('a\n'),
      gap(3),
      text('b\n'),
      gap(5),
      text('c'.repeat(40)),
      gap(7),
      text('d\n'),
      gap(9),
      text('e\n'),
    ];
    const { text: shown, omittedBytes } = cut(parts, 16);

    expect(shown).toBe(
      'a\n(3 missing)\nb\n[… 37 bytes left out; see x …]\n' +
        `${'c'.repeat(8)}\n(7 missing)\nd\n(9 missing)\ne\n`,
    );
    expect(omittedBytes).toBe(37 + 3 + 7 + 9);
  });

  test('is a line where nothing may be shown', () => {
    expect(cut([text('abc')], 0)).toEqual({
      text: '[… 3 bytes left out; see x …]\n',
      omittedBytes: 3,
      isCut: true,
    });
  });
});

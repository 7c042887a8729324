import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { threadCpuMs } from '../../src/output/grep.ts';
import { drawText, toPlainText, unfinishedEscapeLength } from '../../src/output/plain-text.ts';

describe('plain text', () => {
  test.each([
    ['colours', '\u001b[1;38;5;196mred\u001b[0m', 'red'],
    ['titles and links', '\u001b]0;title\u0007\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['device strings', 'a\u001bPq#0;2\u001b\\b\u001b_apc\u001b\\c', 'abc'],
    ['charset and keypad escapes', '\u001b(B\u001b=x\u001b>\u001b7y\u001b8', 'xy'],
    ['bells and NULs', 'a\u0007b\u0000c', 'abc'],
    ['an unfinished sequence at the end', 'a\u001b[3', 'a'],
    ['an unfinished title at the end', 'a\u001b]0;ti', 'a'],
  ])('is free of %s', (_name, written, seen) => {
    expect(toPlainText(written)).toBe(seen);
  });

  test.each([
    ['CRLF is a line break', 'a\r\nb\r\n', 'a\nb\n'],
    ['a carriage return writes over', '10%\r20%\r100%\n', '100%\n'],
    ['a shorter frame leaves the rest', 'abcdef\rxy\n', 'xycdef\n'],
    ['an erased line leaves nothing', 'abcdef\r\u001b[Kxy\n', 'xy\n'],
    ['a spinner by column one', '\u001b[2K\u001b[1G- go\u001b[2K\u001b[1G| go', '| go'],
    ['a backspace writes over', 'abd\bc\n', 'abc\n'],
    ['a rubbed out end', 'abc\b \b\b \bX\n', 'aX\n'],
    ['characters taken out', 'abcdef\u001b[3D\u001b[2PX\n', 'abcX\n'],
    ['characters blanked', 'abcdef\r\u001b[3X\n', '   def\n'],
    ['room made for a character', 'ac\b\u001b[@b\n', 'abc\n'],
    ['edits behind the end', 'ab\u001b[3P\u001b[3X\u001b[3@c\n', 'abc\n'],
    ['two carriage returns', 'abc\r\r\n d\r\n', 'abc\n d\n'],
    ['frames of several lines', 'a 1\nb 1\n\u001b[2A\u001b[Ka 2\n\u001b[Kb 2\n', 'a 2\nb 2\n'],
    ['characters beyond the basic plane', '🎉🎉\rx\n', 'x🎉\n'],
    ['blank lines stay', 'a\n\nb\n', 'a\n\nb\n'],
    ['tabs stay', 'a\tb', 'a\tb'],
  ])('%s', (_law, written, seen) => {
    expect(toPlainText(written)).toBe(seen);
  });

  test('equal lines in a row become one', () => {
    expect(toPlainText(`start\n${'retry\n'.repeat(500)}end\n`)).toBe('start\nretry ×500\nend\n');
  });

  test('many empty lines become one', () => {
    expect(toPlainText(`a\n${'\n'.repeat(100)}b\n`)).toBe('a\n(empty line) ×100\nb\n');
  });

  test('text without controls or repeats stays as it is', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(
          fc.string({ unit: 'grapheme' }).filter((line) => !/[\p{Cc}]/u.test(line) && line !== ''),
          { minLength: 1 },
        ),
        (lines) => {
          expect(toPlainText(lines.join('\n'))).toBe(lines.join('\n'));
        },
      ),
    );
  });

  test.each([
    ['unfinished titles', '\u001b]0;'],
    ['unfinished eight-bit titles', '\u009d'],
    ['escapes alone', '\u001b'],
    ['parameters', '\u001b[1'],
    ['frames over a long line', '\rx'],
    ['room made', '\r\u001b[@'],
    ['characters taken out at the beginning', '\r\u001b[P'],
    ['rows up and down', '\u001b[A\u001b[B'],
    ['backspaces', 'a\b'],
  ])('takes linear time for %s', { timeout: 60_000 }, (_name, unit) => {
    const text = `${'x'.repeat(200_000)}${unit.repeat(200_000)}`;

    const beganMs = threadCpuMs();
    toPlainText(text);

    expect(threadCpuMs() - beganMs).toBeLessThan(5_000);
  });

  test('cursor movements cost no more than printed text', () => {
    const hostile = fc.constantFrom(
      ...['A', 'B', 'C', 'D', 'E', 'F', 'G', 'J', 'K', 'P', 'X', '@'].map((letter) => `\u001b[9999${letter}`),
      ...[
        '\u001b[1K',
        '\u001b[2K',
        '\u001b[K',
        '\u001b[J',
        '\u001b[600G',
        '\u001b[500@',
        '\u001b[999999999999C',
      ],
      ...['x', '\n', '\r', '\b', '\t', '🎉', 'y'.repeat(50)],
    );
    const units = fc.array(hostile, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
    const texts = fc
      .tuple(fc.constantFrom('', 'z'.repeat(2_000)), units)
      .map(([before, unit]) => `${before}${unit.repeat(6_000 / unit.length)}`);
    fc.assert(
      fc.property(texts, (text) => {
        const rows = drawText(text);

        expect(rows.work).toBeLessThan(1_000 * text.length);
        expect(rows.lines().join('\n').length).toBeLessThan(300 + 20 * text.length);
      }),
      {
        numRuns: 50,
        examples: ['C', 'Cx', 'Cx\n', 'Gx\r', 'X\b', 'C\u001b[1K', 'D\u001b[500@\nx'].map((end) => [
          `\u001b[9999${end}`.repeat(700),
        ]),
      },
    );
  });

  test('a right margin is reached by blanks', () => {
    expect(toPlainText('up\u001b[60G[ OK ]\n')).toBe(`up${' '.repeat(57)}[ OK ]\n`);
    expect(toPlainText('a\u001b[3Cb\n')).toBe('a   b\n');
  });

  test('no column is further than a terminal is wide', () => {
    expect(toPlainText('a\u001b[9999C'.repeat(10_000))).toMatch(/^a {50,}a/);
    expect(toPlainText(`${'a'.repeat(2_000)}\u001b[9999Cb`)).toBe(`${'a'.repeat(2_000)}b`);
  });

  test('knows how much of a sequence is unfinished', () => {
    expect(unfinishedEscapeLength('ab\u001b[3')).toBe(3);
    expect(unfinishedEscapeLength('ab\u001b[3m')).toBe(0);
    expect(unfinishedEscapeLength('ab\u001b]0;t\u001b')).toBe(6);
    expect(unfinishedEscapeLength('ab\u001b]0;t\u001b\\')).toBe(0);
  });
});

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ScreenCapture } from '../../machines/process/terminal.ts';
import { hideOnScreen } from '../../src/secrets/hide-on-screen.ts';

const secret = 'hunter2-secret';

function screenOf(lines: readonly string[], more: Partial<ScreenCapture> = {}): ScreenCapture {
  return {
    columns: 20,
    rows: lines.length,
    lines,
    scrollback: [],
    cursor: { column: 0, row: lines.length, isVisible: true },
    isAlternate: false,
    title: null,
    isLast: false,
    ...more,
  };
}

test('a secret is covered in place', () => {
  const screen = screenOf([`Key: ${secret} |`, 'and so on']);

  const shown = hideOnScreen(screen, [secret]);

  expect(shown.lines).toEqual(['Key: [redacted]**** |', 'and so on']);
});

test('a short secret is covered by a part of the mark', () => {
  expect(hideOnScreen(screenOf(['pin 0815.']), ['0815']).lines).toEqual(['pin [red.']);
});

test('a secret across the end of a line is covered', () => {
  const shown = hideOnScreen(screenOf(['Paste it: hunter2-s', 'ecret', '$']), [secret]);

  expect(shown.lines).toEqual(['Paste it: [redacted', ']****', '$']);
});

test('a secret with blanks is covered across a line end', () => {
  const shown = hideOnScreen(screenOf(['say: open', 'sesame now']), ['open sesame']);

  expect(shown.lines).toEqual(['say: [red', 'acted] now']);
});

test('a secret across the scrollback is covered', () => {
  const shown = hideOnScreen(screenOf(['-secret', '$'], { scrollback: ['old', 'x hunter2'] }), [secret]);

  expect(shown.scrollback).toEqual(['old', 'x [redact']);
  expect(shown.lines).toEqual(['ed]****', '$']);
});

test('half a secret at the cursor is covered', () => {
  const at = (text: string) =>
    hideOnScreen(screenOf([text], { cursor: { column: text.length, row: 0, isVisible: true } }), [secret]);

  expect(at('Key: hunter2-').lines).toEqual(['Key: [redacte']);
  expect(at('Key: hunt').lines).toEqual(['Key: hunt']);
});

test('half a secret at the top is covered', () => {
  expect(hideOnScreen(screenOf(['r2-secret', '$']), [secret]).lines).toEqual(['[redacted', '$']);
});

test('no secret is shown wherever a row ends', () => {
  const word = fc.string({ unit: fc.constantFrom('h', 'u', '-', ' ', '2'), maxLength: 30 });
  fc.assert(
    fc.property(word, word, fc.integer({ min: 3, max: 40 }), (before, behind, columns) => {
      const typed = `${before}${secret}${behind}`;
      const rows = typed.match(new RegExp(`.{1,${columns}}`, 'g')) ?? [];
      const lines = rows.map((row) => row.trimEnd());

      const shown = hideOnScreen(screenOf(lines, { columns }), [secret]);

      expect(shown.lines.join('')).not.toContain(secret);
      expect(shown.lines.map(({ length }) => length)).toEqual(lines.map(({ length }) => length));
    }),
    { numRuns: 500 },
  );
});

test('a title with a secret is covered', () => {
  expect(hideOnScreen(screenOf([''], { title: `ssh ${secret}` }), [secret]).title).toBe('ssh [redacted]');
});

test('a screen without secrets stays the same object', () => {
  const screen = screenOf(['nothing here']);

  expect(hideOnScreen(screen, [secret])).toBe(screen);
  expect(hideOnScreen(screen, [])).toBe(screen);
});

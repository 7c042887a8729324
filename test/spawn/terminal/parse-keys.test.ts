import { expect, test } from 'vitest';
import type { KeyStroke } from '../../../machines/process/terminal.ts';
import { isPlainText, parseKeys } from '../../../src/spawn/terminal/parse-keys.ts';

const none = { ctrl: false, alt: false, shift: false };

function strokesOf(...names: string[]): readonly KeyStroke[] {
  const parsed = parseKeys(names);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.strokes;
}

function errorOf(...names: string[]): string {
  const parsed = parseKeys(names);
  return parsed.ok ? 'no error' : parsed.error;
}

test.each([
  ['Enter', 'Return', 'CR', 'enter', 'ENTER'],
  ['Escape', 'Esc', 'esc'],
  ['Backspace', 'BSpace', 'BS'],
  ['Delete', 'DC', 'Del', 'del'],
  ['Insert', 'IC', 'Ins'],
  ['PageUp', 'PgUp', 'PPage', 'pageup'],
  ['PageDown', 'PgDn', 'PgDown', 'NPage'],
  ['Up', 'up', 'ArrowUp'],
  ['F12', 'f12'],
])('key %s has other names', (key, ...others) => {
  const strokes = strokesOf(key, ...others);

  expect(new Set(strokes.map((stroke) => JSON.stringify(stroke)))).toEqual(
    new Set([JSON.stringify({ type: 'key', key, ...none })]),
  );
});

test('modifiers are parsed in every spelling', () => {
  expect(strokesOf('C-c', 'c-c', 'Ctrl+c', 'Control-c', '^c')).toEqual(
    Array(5).fill({ type: 'character', character: 'c', ...none, ctrl: true }),
  );
  expect(strokesOf('M-x', 'Alt+x', 'Meta-x')).toEqual(
    Array(3).fill({ type: 'character', character: 'x', ...none, alt: true }),
  );
  expect(strokesOf('C-M-S-Up', 'Ctrl+Alt+Shift+Up')).toEqual(
    Array(2).fill({ type: 'key', key: 'Up', ctrl: true, alt: true, shift: true }),
  );
  expect(strokesOf('BTab', 'S-Tab')).toEqual(
    Array(2).fill({ type: 'key', key: 'Tab', ...none, shift: true }),
  );
});

test('a single character is its own key', () => {
  const characters = ['q', 'Q', '-', '^', '/', 'é', '😀', ';'];

  expect(strokesOf(...characters)).toEqual(
    characters.map((character) => ({ type: 'character', character, ...none })),
  );
  expect(strokesOf('C--'.replace('C', 'M'))).toEqual([
    { type: 'character', character: '-', ...none, alt: true },
  ]);
});

test('an unknown key is named with the nearest known one', () => {
  expect(errorOf('Enter', 'Entr')).toMatch(/"Entr".*"Enter".*Plain text goes into "text"/);
  expect(errorOf('C-PageUpp')).toMatch(/"C-PageUpp".*"PageUp"/);
  expect(errorOf('hello world')).toMatch(/"hello world".*"text"/);
  expect(errorOf('')).toMatch(/no key ""/);
  expect(errorOf('F13')).toMatch(/"F13"/);
  expect(errorOf('C-')).toMatch(/"C-"/);
  expect(errorOf('\n')).toMatch(/no key/);
  expect(errorOf('x'.repeat(5_000)).length).toBeLessThan(200);
});

test('Ctrl with a character without a code is an error', () => {
  expect(errorOf('C-é')).toMatch(/"C-é".*letters/);
  expect(errorOf('C-[', 'C-@', 'C-\\', 'C-/', 'C-2')).toBe('no error');
});

test('more than a thousand keys are refused', () => {
  expect(parseKeys(Array(1_000).fill('a')).ok).toBe(true);
  expect(errorOf(...Array(1_001).fill('a'))).toMatch(/1001.*1000/);
});

const hint = 'Keys are named Enter, Escape, Up, F5, C-c, M-x.';

test.each([
  ['Entr', 'There is no key "Entr". Did you mean "Enter"? Plain text goes into "text".'],
  ['C-PageUpp', 'There is no key "C-PageUpp". Did you mean "PageUp"? Plain text goes into "text".'],
  ['hello world', `There is no key "hello world". ${hint} Plain text goes into "text".`],
  [
    'C-é',
    'There is no key "C-é": a terminal knows Ctrl only with letters, Space, and one of @ [ \\ ] ^ _ ? /.',
  ],
])('the message about the key %j is whole', (name, message) => {
  expect(errorOf(name)).toBe(message);
});

test('the message about too many keys is whole', () => {
  expect(errorOf(...Array(1_001).fill('a'))).toBe('"keys" has 1001 keys; at most 1000 are accepted at once.');
});

test.each([
  ...(['Enter', 'Tab', 'Escape', 'Space', 'Backspace', 'Delete', 'Insert'] as const).map((key) => [key, key]),
  ...(['Up', 'Down', 'Left', 'Right', 'Home', 'End', 'PageUp', 'PageDown'] as const).map((key) => [key, key]),
  ...Array.from({ length: 12 }, (_, index) => [`F${index + 1}`, `F${index + 1}`]),
  ...['Up', 'Down', 'Left', 'Right'].map((key) => [`Arrow${key}`, key]),
])('the name %s is the key %s', (name, key) => {
  expect(strokesOf(`${name}`)).toEqual([{ type: 'key', key, ...none }]);
});

test.each([
  ['a-x', { alt: true }],
  ['option-x', { alt: true }],
  ['m+x', { alt: true }],
  ['s-x', { shift: true }],
  ['SHIFT+x', { shift: true }],
  ['ctrl-x', { ctrl: true }],
  ['^x', { ctrl: true }],
  ['S-^x', { ctrl: true, shift: true }],
])('the modifiers of %s are %j', (name, modifiers) => {
  expect(strokesOf(name)).toEqual([{ type: 'character', character: 'x', ...none, ...modifiers }]);
});

test.each([
  ['hello world', true],
  ['ls -la', true],
  ['Enter', false],
  ['Entr', false],
  ['x', false],
  ['', false],
  ['😀', false],
  ['C-hello world', false],
  ['M-hello world', false],
  ['S-hello world', false],
])('%j is plain text: %s', (name, isText) => {
  expect(isPlainText(name)).toBe(isText);
});

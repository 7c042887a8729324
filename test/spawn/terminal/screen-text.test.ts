import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ScreenCapture } from '../../../machines/process/terminal.ts';
import { parseScreenText, readScreenFile, toScreenText } from '../../../src/spawn/terminal/screen-text.ts';
import { tempDir } from '../../support/os.ts';

const screen: ScreenCapture = {
  ...{ columns: 20, rows: 3, lines: ['one', '  two', ''], scrollback: [] },
  ...{ cursor: { column: 5, row: 1, isVisible: true }, isAlternate: false, title: 'a title', isLast: true },
};

test.each([
  ['as it is', screen],
  ['without a title', { ...screen, title: null }],
  ['with a hidden cursor', { ...screen, cursor: { column: 0, row: 2, isVisible: false } }],
  ['on the alternate screen', { ...screen, isAlternate: true }],
])('a screen comes back from its text: %s', (_, given) => {
  expect(parseScreenText(toScreenText(given))).toEqual(given);
});

test('a screen is text of one line more', () => {
  expect(toScreenText({ ...screen, title: 'a\r\nb' })).toBe('screen 20 3 5 1 1 0 a  b\none\n  two\n\n');
});

test.each([
  ['', null],
  ['screen 0 3 0 0 1 0 x\n', null],
  ['screen 20 0 0 0 1 0 x\n', null],
  ['screen 20 10001 0 0 1 0 x\n', null],
  ['screen 20 3 0 0 2 0 x\n', null],
  ['screen 20 3 0 x 1 0 x\n', null],
  ['a screen 20 3 0 0 1 0 x\n', null],
  ['screen 20 3 0 0 1 0x\n', null],
])('a text that is no screen is none: %j', (text, parsed) => {
  expect(parseScreenText(text)).toBe(parsed);
});

test('the smallest and the highest screen are screens', () => {
  expect(parseScreenText('screen 1 1 0 0 1 0 \nx\n')).toMatchObject({ columns: 1, rows: 1, lines: ['x'] });
  expect(parseScreenText('screen 1 10000 0 0 1 0 \n')?.lines).toHaveLength(10_000);
});

test('flags that are missing are those of a plain screen', () => {
  expect(parseScreenText('screen 20 1 0 0  \nx\n')).toMatchObject({
    ...{ cursor: { isVisible: true }, isAlternate: false, title: null },
  });
});

test('missing lines are empty, and others are not shown', () => {
  expect(parseScreenText('screen 20 3 0 0 1 0 \nx  ')?.lines).toEqual(['x', '', '']);
  expect(parseScreenText('screen 20 1 0 0 1 0 \nx\ny\n')?.lines).toEqual(['x']);
});

test('text that stands out is highlighted', () => {
  const text = 'screen 20 2 0 0 1 0 \nplain and long\n\x1b[7mOK\x1b[0m\n';

  expect(parseScreenText(text)).toMatchObject({ highlights: [{ row: 1, text: 'OK' }] });
  expect(parseScreenText('screen 20 1 0 0 1 0 \nx\n')).not.toHaveProperty('highlights');
});

test('a screen is read from a file', () => {
  using place = tempDir();
  writeFileSync(place.file('screen'), toScreenText(screen), { mode: 0o600 });

  expect(readScreenFile(place.file('screen'))).toEqual(screen);
  expect(readScreenFile(place.file('none'))).toBeNull();
});

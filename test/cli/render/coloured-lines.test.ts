import { expect, test } from 'vitest';
import { createColourTracker, toColouredLines } from '../../../src/cli/render/coloured-lines.ts';

const esc = '\x1b';

test.each([
  ['plain lines', 'a\r\nb\nc', ['a', 'b', 'c']],
  ['a jump to a row', `${esc}[3;1Hx`, ['', '', 'x']],
  ['a jump home', `${esc}[Hx`, ['x']],
  ['a jump to row 0', `${esc}[0;5Hx`, ['x']],
  ['two pieces of one row', `${esc}[2;1Hx${esc}[2;2Hy`, ['', 'xy']],
  ['lines after a jump', `${esc}[2;1Hx\ny${esc}[1;1Hz`, ['z', 'x', 'y']],
  ['a jump after lines', `a\nb${esc}[5Hx`, ['a', 'b', '', '', 'x']],
  ['a move to the right', `a${esc}[3Cb${esc}[Cc${esc}[0Cd`, ['a   b c d']],
  ['modes', `${esc}[?25la${esc}[2Jb${esc}=c${esc}]0;title\x07d${esc}]0;title${esc}\\e`, ['abcde']],
  ['what another screen hides', `old${esc}[?1049hnew`, ['new']],
  ['what an older switch hides', `old${esc}[?47hnew${esc}[?1047hnewer`, ['newer']],
  [
    'colours',
    `${esc}[31mred\nstill${esc}[0m plain`,
    [`${esc}[31mred${esc}[0m`, `${esc}[31mstill${esc}[0m plain${esc}[0m`],
  ],
  [
    'an empty line between coloured ones',
    `${esc}[1ma\n\nb`,
    [`${esc}[1ma${esc}[0m`, '', `${esc}[1mb${esc}[0m`],
  ],
])('a drawing with %s becomes lines', (_, drawing, lines) => {
  expect(toColouredLines(drawing)).toEqual(lines);
});

test.each([
  ['', ''],
  ['[31m', '[31m'],
  ['[31m[91m', '[91m'],
  ['[41m[107m', '[107m'],
  ['[31m[42m', '[31;42m'],
  ['[38;5;9m', '[38;5;9m'],
  ['[38;5;9;1m', '[38;5;9;1m'],
  ['[38;2;1;2;3;4m', '[38;2;1;2;3;4m'],
  ['[48;5;9m[49m', ''],
  ['[38:5:9m[39m', ''],
  ['[58;5;9m[31m[59m', '[31m'],
  ['[1;2;3m[22m', '[3m'],
  ['[3m[23m', ''],
  ['[4;21m[24m', ''],
  ['[5;6m[25m', ''],
  ['[7;8;9m[27;28m', '[9m'],
  ['[9m[29m', ''],
  ['[53m[55m', ''],
  ['[30m[37m[90m[97m', '[97m'],
  ['[40m[47m[100m', '[100m'],
  ['[31m[0m', ''],
  ['[31m[m', ''],
  ['[1;31;0;4m', '[4m'],
])('after %s the styles are %s', (text, styles) => {
  const tracker = createColourTracker();

  tracker.update(text.replaceAll('[', `${esc}[`));

  expect(tracker.toSequence()).toBe(styles.replaceAll('[', `${esc}[`));
});

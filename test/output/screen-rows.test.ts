import { expect, test } from 'vitest';
import { createScreenRows, type ScreenRows } from '../../src/output/screen-rows.ts';

const draw = (act: (rows: ScreenRows) => void, maxBlanks = 100) => {
  const rows = createScreenRows({ maxBlanks });
  act(rows);
  return rows.lines();
};

test.each<[string, (rows: ScreenRows) => void, readonly string[]]>([
  [
    'text is appended',
    (rows) => {
      rows.print('ab');
      rows.print('cd');
    },
    ['abcd'],
  ],
  ['nothing is a row', () => {}, ['']],
  [
    'a new line begins at its left',
    (rows) => {
      rows.print('ab');
      rows.newLine();
      rows.print('c');
    },
    ['ab', 'c'],
  ],
  [
    'text overwrites from the cursor',
    (rows) => {
      rows.print('abcd');
      rows.moveTo(1);
      rows.print('X');
    },
    ['aXcd'],
  ],
  [
    'no column is below 0',
    (rows) => {
      rows.print('ab');
      rows.moveBy(-5);
      rows.print('X');
    },
    ['Xb'],
  ],
  [
    'a column beyond the end is reached with blanks',
    (rows) => {
      rows.print('a');
      rows.moveTo(3);
      rows.print('b');
    },
    ['a  b'],
  ],
  [
    'columns count characters',
    (rows) => {
      rows.print('😀b');
      rows.moveBy(-1);
      rows.print('X');
    },
    ['😀X'],
  ],
  [
    'trailing blanks are no text',
    (rows) => {
      rows.print('ab  ');
      rows.moveTo(0);
    },
    ['ab'],
  ],
  [
    'a row above is reached',
    (rows) => {
      rows.print('a');
      rows.newLine();
      rows.print('b');
      rows.moveRow(-1);
      rows.print('c');
    },
    ['ac', 'b'],
  ],
  [
    'no row is above the first',
    (rows) => {
      rows.print('a');
      rows.moveRow(-3);
      rows.print('b');
    },
    ['ab'],
  ],
  [
    'no row is below the last',
    (rows) => {
      rows.print('a');
      rows.moveRow(3);
      rows.print('b');
    },
    ['ab'],
  ],
  [
    'a new line goes to the row below',
    (rows) => {
      rows.print('a');
      rows.newLine();
      rows.print('b');
      rows.moveRow(-1);
      rows.newLine();
      rows.print('c');
    },
    ['a', 'c'],
  ],
  [
    'erasing "0" goes to the end',
    (rows) => {
      rows.print('abcd');
      rows.moveTo(1);
      rows.erase('0');
    },
    ['a'],
  ],
  [
    'erasing "" goes to the end',
    (rows) => {
      rows.print('abcd');
      rows.moveTo(1);
      rows.erase('');
    },
    ['a'],
  ],
  [
    'erasing "1" goes up to the cursor',
    (rows) => {
      rows.print('abcd');
      rows.moveTo(1);
      rows.erase('1');
    },
    ['  cd'],
  ],
  [
    'erasing "2" empties the row',
    (rows) => {
      rows.print('abcd');
      rows.erase('2');
    },
    [''],
  ],
  [
    'an unknown way erases nothing',
    (rows) => {
      rows.print('abcd');
      rows.moveTo(0);
      rows.erase('7');
    },
    ['abcd'],
  ],
  [
    'erasing below takes the rows below',
    (rows) => {
      rows.print('ab');
      rows.newLine();
      rows.print('c');
      rows.moveRow(-1);
      rows.eraseBelow();
    },
    ['a'],
  ],
  [
    'X blanks characters',
    (rows) => {
      rows.print('abcd');
      rows.moveTo(1);
      rows.edit('X', 2);
    },
    ['a  d'],
  ],
  [
    'P removes characters',
    (rows) => {
      rows.print('abcd');
      rows.moveTo(1);
      rows.edit('P', 2);
    },
    ['ad'],
  ],
  [
    '@ inserts blanks',
    (rows) => {
      rows.print('abcd');
      rows.moveTo(1);
      rows.edit('@', 2);
    },
    ['a  bcd'],
  ],
  [
    'an edit beyond the end changes nothing',
    (rows) => {
      rows.print('ab');
      rows.edit('@', 2);
      rows.print('c');
    },
    ['abc'],
  ],
])('%s', (_, act, lines) => {
  expect(draw(act)).toEqual(lines);
});

test('fifty rows are on the screen', () => {
  const lines = draw((rows) => {
    for (let row = 0; row < 60; row += 1) {
      rows.print(`${row}`);
      rows.newLine();
    }
    rows.moveRow(-100);
    rows.moveTo(0);
    rows.print('X');
  });

  expect(lines.indexOf('X1')).toBe(11);
});

test('the cursor stays within a thousand columns, unless text is further', () => {
  const far = draw((rows) => {
    rows.print('a');
    rows.moveTo(5_000);
    rows.print('b');
  }, 5_000);
  const long = draw((rows) => {
    rows.print('a'.repeat(1_500));
    rows.moveTo(1_400);
    rows.print('b');
  });

  expect(far[0]).toHaveLength(1_000);
  expect(long[0]?.indexOf('b')).toBe(1_400);
});

test('blanks are bounded, and then one remains', () => {
  const [line] = draw((rows) => {
    rows.print('a');
    rows.moveTo(6);
    rows.print('b');
    rows.moveTo(20);
    rows.print('c');
    rows.moveTo(40);
    rows.print('d');
  }, 7);

  expect(line).toBe('a     b  c d');
});

test('inserted blanks are bounded, too', () => {
  const [line] = draw((rows) => {
    rows.print('abc');
    rows.moveTo(0);
    rows.edit('@', 2);
    rows.edit('@', 2);
    rows.edit('@', 2);
  }, 3);

  expect(line).toBe('   abc');
});

test('characters moved over the right margin are gone', () => {
  const [line] = draw((rows) => {
    rows.print(`${'a'.repeat(998)}bc`);
    rows.moveTo(0);
    rows.edit('@', 1);
  });

  expect(line).toBe(` ${'a'.repeat(998)}b`);
});

test('longer rows are not edited', () => {
  const row = 'a'.repeat(1_001);

  expect(
    draw((rows) => {
      rows.print(row);
      rows.moveTo(0);
      rows.edit('P', 1);
      rows.edit('@', 1);
    }),
  ).toEqual([row]);
  expect(
    draw((rows) => {
      rows.print(row);
      rows.moveTo(0);
      rows.edit('X', 1);
    }),
  ).toEqual([` ${'a'.repeat(1_000)}`]);
});

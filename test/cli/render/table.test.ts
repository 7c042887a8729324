import { expect, test } from 'vitest';
import { renderTable, type TableOptions } from '../../../src/cli/render/table.ts';
import { plainPage } from '../plain-page.ts';

type Row = { readonly name: string; readonly size: string; readonly note: string };

const rows: readonly Row[] = [
  { name: 'a', size: '7', note: 'one' },
  { name: 'longer', size: '1234', note: 'two' },
];

const options: TableOptions<Row> = {
  rows,
  columns: [
    { heading: 'NAME', cell: ({ name }) => name },
    { heading: 'KB', cell: ({ size }) => size, align: 'right', dropPriority: 1 },
    { heading: 'NOTE', cell: ({ note }) => note },
  ],
};

test('numbers are aligned to the right, texts to the left', () => {
  expect(renderTable(options, plainPage(80))).toEqual([
    ['  NAME      KB  NOTE'],
    ['  a          7  one'],
    ['  longer  1234  two'],
  ]);
});

test('a table without rows has a heading', () => {
  expect(renderTable({ ...options, rows: [] }, plainPage(80))).toEqual([['  NAME  KB  NOTE']]);
});

test('a heading wider than its cells sets the width', () => {
  const columns = [
    { heading: 'LONG NAME', cell: ({ name }: Row) => name },
    { heading: 'NOTE', cell: ({ note }: Row) => note },
  ];

  expect(renderTable({ ...options, columns }, plainPage(80)).flat()).toEqual([
    '  LONG NAME  NOTE',
    '  a          one',
    '  longer     two',
  ]);
});

test.each([
  [20, '  NAME      KB  NOTE'],
  [19, '  NAME    NOTE'],
])('a page of %i columns shows the heading "%s"', (width, heading) => {
  expect(renderTable(options, plainPage(width))[0]).toEqual([heading]);
});

test.each([
  [32, '  NAME      KB  NOTE'],
  [31, '  NAME    NOTE'],
])('a long last column of a page of %i columns keeps its least width', (width, heading) => {
  const long = rows.map((row) => ({ ...row, note: 'x'.repeat(40) }));
  const shown = renderTable({ ...options, rows: long }, plainPage(width)).flat();

  expect(shown[0]).toBe(heading);
  expect(Math.max(...shown.map((row) => row.length))).toBe(width);
});

test('the last column takes the rest, and is cut', () => {
  const long = [{ name: 'a', size: '7', note: 'x'.repeat(40) }];

  expect(renderTable({ ...options, rows: long }, plainPage(32)).flat()).toEqual([
    '  NAME  KB  NOTE',
    `  a      7  ${'x'.repeat(19)}…`,
  ]);
});

test('columns with the highest number are dropped first, and no more than needed', () => {
  const columns = [
    { heading: 'A', cell: () => 'aaaa', dropPriority: 1 },
    { heading: 'B', cell: () => 'bbbb', dropPriority: 3 },
    { heading: 'C', cell: () => 'cccc', dropPriority: 2 },
    { heading: 'D', cell: () => 'dddd' },
  ];
  const headingAt = (width: number) => renderTable({ rows, columns }, plainPage(width))[0]?.[0];

  expect([24, 23, 18, 17, 12, 11].map(headingAt)).toEqual([
    '  A     B     C     D',
    '  A     C     D',
    '  A     C     D',
    '  A     D',
    '  A     D',
    '  D',
  ]);
});

test('lines below a row are indented and cut', () => {
  const under = ({ name }: Row) => (name === 'a' ? ['x'.repeat(30), 'y'] : []);

  expect(renderTable({ ...options, under }, plainPage(24)).slice(1)).toEqual([
    ['  a          7  one', `    ${'x'.repeat(19)}…`, '    y'],
    ['  longer  1234  two'],
  ]);
});

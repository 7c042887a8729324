import { expect, test } from 'vitest';
import { renderTop, sortRows, type TopRow, type TopView } from '../../../src/cli/verbs/top/top-view.ts';
import type { ProcessUsage } from '../../../src/spawn/tree/tree-usage.ts';
import { endedView, runningView } from '../../support/views.ts';
import { markedPage, plainPage } from '../plain-page.ts';

const usage = (cpuShare: number | null, mebibytes: number): ProcessUsage => ({
  ...{ cpuShare, cpuMs: 0, memoryBytes: mebibytes * 1024 ** 2, peakMemoryBytes: null },
  ...{ readBytes: null, writtenBytes: null, processes: 1, ports: [] },
});

const row = (id: string, used: ProcessUsage | null = null, own: object = {}): TopRow => ({
  ...{ answered: true, supervisorId: 'sup_1', usage: used },
  view: { ...runningView({ id }), ...own },
});

const view: TopView = {
  ...{ path: '/project/.troupe', rows: [], selectedId: null, order: 'cpu', showsAll: false },
  ...{ pane: { type: 'list' }, message: null },
};

const render = (own: Partial<TopView>, rows = 7, page = plainPage(100)) =>
  renderTop({ ...view, ...own }, { page, rows });

test.each([
  ['cpu', 'bac'],
  ['memory', 'cba'],
  ['age', 'abc'],
] as const)('rows are sorted by %s', (order, ids) => {
  const rows = [row('a', usage(0.1, 1)), row('b', usage(0.9, 2)), row('c', usage(null, 3))];

  expect(
    sortRows(rows, order)
      .map(({ view: { id } }) => id)
      .join(''),
  ).toBe(ids);
});

test('a row without a measurement stands behind the others', () => {
  const ids = sortRows([row('a'), row('b', usage(0.1, 1))], 'memory').map((each) => each.view.id);

  expect(ids).toEqual(['b', 'a']);
});

test('the screen has a title, a table and the keys', () => {
  const rows = [row('tool_a', usage(1.504, 10.6)), row('tool_b', usage(-0.1, 0)), row('tool_c')];

  expect(render({ rows }, 8)).toEqual([
    '  3 running · /project/.troupe',
    '',
    '  ID      STATUS        KIND  PID    CPU  MEM  RUNTIME  COMMAND',
    '  tool_a  backgrounded  tool  4711  150%  11M  1m 05s   make',
    '  tool_b  backgrounded  tool  4711    0%   0M  1m 05s   make',
    '  tool_c  backgrounded  tool  4711     –    –  1m 05s   make',
    '',
    '  q quit · ↑↓ select · ⏎ facts · k end it · a all · s by cpu',
  ]);
});

test('the title counts what runs, and ended processes with leftovers', () => {
  const ended = (leftovers: readonly object[]) => ({
    ...row('tool_b'),
    view: { ...endedView(), leftovers } as TopRow['view'],
  });

  expect(render({ rows: [row('tool_a'), ended([{ pid: 1, command: 'x' }]), ended([])] })[0]).toBe(
    '  1 running, 1 ended with live leftovers · /project/.troupe',
  );
});

test('the selected row is inverse, and in the middle of a long list', () => {
  const rows = Array.from({ length: 20 }, (_, n) => row(`tool_${n + 10}`));
  const idsOf = (selectedId: string) =>
    render({ rows, selectedId }, 9)
      .slice(3, -1)
      .map((line) => line.trim().split(' ')[0]);

  expect(idsOf('tool_10')).toEqual(['tool_10', 'tool_11', 'tool_12', 'tool_13', 'tool_14']);
  expect(idsOf('tool_20')).toEqual(['tool_18', 'tool_19', 'tool_20', 'tool_21', 'tool_22']);
  expect(idsOf('tool_29')).toEqual(['tool_25', 'tool_26', 'tool_27', 'tool_28', 'tool_29']);
  const [selected = ''] = render({ rows, selectedId: 'tool_10' }, 9, markedPage(100)).slice(3);
  expect(selected).toMatch(/^\{inverse\|.*tool_10.* *\}$/);
  expect(render({ rows, selectedId: 'tool_10' }, 9)[3]).toHaveLength(100);
});

test('an empty list says where it looked', () => {
  const lines = render({ rows: [] }, 5);

  expect(lines).toHaveLength(5);
  expect(lines[2]).toContain('/project/.troupe');
});

test('facts are scrolled, and have keys of their own', () => {
  const lines = Array.from({ length: 9 }, (_, n) => `fact ${n}`);
  const pane = { type: 'facts', of: runningView(), lines, from: 2 } as const;

  expect(render({ pane }, 6)).toEqual([
    '  0 running · /project/.troupe',
    '',
    'fact 2',
    'fact 3',
    'fact 4',
    '  q back · ↑↓ scroll · k end it',
  ]);
});

test('a message stands in the place of the keys', () => {
  const lines = render({ message: 'tool_a was \x1b[31mkilled.' }, 5, markedPage(100));

  expect(lines.at(-1)).toBe('{dim|  tool_a was killed.}');
  expect(lines[0]).toBe('{bold|  0 running · /project/.troupe}');
});

test.each([
  [100, '  End tool_example1 (web) with its tree: make -j 8 all? y/N'],
  [54, '  End tool_example1 (web) with its tree: make -j…? y/N'],
  [46, '  End tool_example1? y/N'],
  [20, '  End tool_exa…? y/N'],
])('on %i columns the question keeps its answers', (width, question) => {
  const of = runningView({ label: 'web', commandLine: 'make -j 8 all' });

  expect(render({ pane: { type: 'confirm', of } }, 5, plainPage(width)).at(-1)).toBe(question);
});

test.each([1, 2, 3, 4])('a screen of %i rows is not exceeded', (rows) => {
  expect(render({ rows: [row('tool_a')] }, rows)).toHaveLength(rows);
});

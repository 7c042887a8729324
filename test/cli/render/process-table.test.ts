import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { renderProcessFacts } from '../../../src/cli/render/process-facts.ts';
import { renderProcessTable } from '../../../src/cli/render/process-table.ts';
import type { ProcessView, TerminalView } from '../../../src/process/process-view.ts';
import { plainPage } from '../plain-page.ts';
import { endedView, processView } from '../process-views.ts';

const listed = (...views: readonly ProcessView[]) => views.map((view) => ({ view, answered: true }));

test('columns are aligned with their headings', () => {
  const views = [processView({ id: 'tool_a', label: 'srv' }), endedView({ id: 'tool_longer' })];

  const rows = renderProcessTable(listed(...views), plainPage(80));

  expect(rows).toEqual([
    '  ID           STATUS        KIND  PID   RUNTIME  COMMAND',
    '  tool_a       backgrounded  tool  4711  1m 05s   srv: serve',
    '    └ by start_process · of assistant_1',
    '  tool_longer  failed        tool  4711  1s       serve',
    '    └ by start_process · of assistant_1',
  ]);
});

test('a process started by the user has no origin line', () => {
  const view: ProcessView = { ...processView({ id: 'tool_a' }), tool: null, owner: 'user' };

  const rows = renderProcessTable(listed(view), plainPage(80));

  expect(rows).toHaveLength(2);
});

test.each([
  [80, 'ID STATUS KIND PID RUNTIME COMMAND'],
  [60, 'ID STATUS PID RUNTIME COMMAND'],
  [54, 'ID STATUS RUNTIME COMMAND'],
  [40, 'ID STATUS COMMAND'],
])('a table of %i columns shows %s', (width, headings) => {
  const view = processView({ id: 'tool_a', commandLine: `echo ${'日本語 '.repeat(60)}\nsecond line` });

  const rows = renderProcessTable(listed(view), plainPage(width));

  expect(rows[0]?.trim().split(/ +/).join(' ')).toBe(headings);
  expect(Math.max(...rows.map((row) => stringWidth(row)))).toBeLessThanOrEqual(width);
});

test('the status column shows awaited input and progress', () => {
  const awaitsInput = { kind: 'secret', certainty: 'known', prompt: 'Password: ', since: 0 } as const;
  const progress = { percent: 45.4, state: 'running', text: null } as const;
  const asks: ProcessView = { ...processView({ id: 'tool_a' }), awaitsInput };
  const guessed: ProcessView = {
    ...processView({ id: 'tool_b' }),
    awaitsInput: { ...awaitsInput, kind: 'line', certainty: 'hint', prompt: null },
  };
  const works: ProcessView = { ...processView({ id: 'tool_c' }), progress };

  const rows = renderProcessTable(listed(asks, guessed, works), plainPage(120));

  expect(rows.slice(1).map((row) => row.trim().split(/ {2,}/).slice(0, 2).join(' | '))).toEqual([
    'tool_a | backgrounded · secret',
    '└ waits for a secret: "Password:" · by start_process · of assistant_1',
    'tool_b | backgrounded · input?',
    '└ seems to wait for input · by start_process · of assistant_1',
    'tool_c | backgrounded · 45 %',
    '└ by start_process · of assistant_1',
  ]);
});

test('the facts show the terminal and how to attach', () => {
  const terminal: TerminalView = {
    type: 'terminal',
    columns: 80,
    rows: 24,
    because: 'A terminal of tmux: tmux is installed.',
    attach: ['tmux', '-S', '/a b/sock', 'attach-session', '-t', '=tool_a'],
  };
  const view: ProcessView = { ...processView({ id: 'tool_a' }), terminal };

  const live = renderProcessFacts({ view, timeline: [] }, plainPage(120));
  const ended = renderProcessFacts(
    { view: { ...endedView({ id: 'tool_a' }), terminal }, timeline: [] },
    plainPage(120),
  );

  expect(live).toContain('  terminal   80x24; A terminal of tmux: tmux is installed.');
  expect(live).toContain("  attach     tmux -S '/a b/sock' attach-session -t =tool_a");
  expect(ended.join('\n')).not.toContain('attach-session');
});

test('the facts show the end and the timeline', () => {
  const timeline = [
    { at: 0, type: 'process.created' },
    { at: 1_000, type: 'process.ended', detail: 'code 7' },
  ] as const;

  const rows = renderProcessFacts({ view: endedView({ id: 'tool_a' }), timeline }, plainPage(80));

  expect(rows).toContainEqual(
    expect.stringMatching(/^ {2}end {8}it exited with code 7, at [-\d]{10} [:\d]{8}$/),
  );
  expect(rows.slice(-2)).toEqual(['  +0 ms      created', '  +1s        ended: code 7']);
});

test.each([
  ['process.secretWritten', 'secret written'],
  ['process.unready', 'not ready'],
  ['leftovers.ended', 'leftovers ended'],
  ['limits.changed', 'limits changed'],
] as const)('the facts say %s as "%s"', (type, words) => {
  const rows = renderProcessFacts(
    { view: endedView({ id: 'tool_a' }), timeline: [{ at: 0, type }] },
    plainPage(80),
  );

  expect(rows.at(-1)).toBe(`  +0 ms      ${words}`);
});

test('no fact is wider than the page', () => {
  const view: ProcessView = {
    ...processView({ id: 'tool_a', commandLine: `echo ${'日本語 '.repeat(60)}\nsecond line` }),
    metadata: { note: 'a b '.repeat(60) },
  };
  const timeline = [{ at: 0, type: 'process.ended', by: 'user', detail: 'word '.repeat(60) }] as const;

  const rows = renderProcessFacts({ view, timeline, supervisorId: 'sup_1', answered: false }, plainPage(40));

  expect(rows.join(' ').replaceAll(/ +/g, ' ')).toContain('which does not answer');
  expect(Math.max(...rows.map((row) => stringWidth(row)))).toBeLessThanOrEqual(40);
});

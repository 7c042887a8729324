import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { renderProcessFacts } from '../../../src/cli/render/process-facts.ts';
import { renderProcessTable } from '../../../src/cli/render/process-table.ts';
import { plainPage } from '../plain-page.ts';
import { endedView, processView } from '../process-views.ts';

test('columns stand under their headings', () => {
  const views = [processView({ id: 'tool_a', label: 'srv' }), endedView({ id: 'tool_longer' })];

  const rows = renderProcessTable(views, plainPage(80));

  expect(rows).toEqual([
    '  ID           STATUS        PID   RUNTIME  COMMAND',
    '  tool_a       backgrounded  4711  1m 05s   srv: serve',
    '  tool_longer  failed        4711  1s       serve',
  ]);
});

test.each([80, 120])('no row is wider than %i columns', (width) => {
  const view = processView({ id: 'tool_a', commandLine: `echo ${'日本語 '.repeat(60)}\nsecond line` });

  const rows = renderProcessTable([view], plainPage(width));

  expect(rows).toHaveLength(2);
  expect(Math.max(...rows.map((row) => stringWidth(row)))).toBeLessThanOrEqual(width);
});

test('the facts tell the end and the way to it', () => {
  const timeline = [
    { at: 0, event: 'created' },
    { at: 1_000, event: 'ended', detail: 'code 7' },
  ] as const;

  const rows = renderProcessFacts({ view: endedView({ id: 'tool_a' }), timeline }, plainPage(80));

  expect(rows).toContain('  end        it exited with code 7');
  expect(rows.slice(-2)).toEqual(['  +0 ms      created', '  +1s        ended: code 7']);
});

import { expect, test } from 'vitest';
import { describeArguments, renderToolAnswer, renderToolCall } from '../../../src/cli/render/tool-lines.ts';
import type { ToolAnswer } from '../../../src/tools/tool.ts';
import { markedPage, plainPage } from '../plain-page.ts';

test.each([
  ['', ''],
  ['{}', ''],
  ['{"command":"ls"}', '$ ls'],
  ['{"timeout":"5m","command":"ls","n":3}', 'timeout=5m  n=3  $ ls'],
  ['{"command":["ls","-l"]}', '["ls","-l"]'],
  ['{"a":{"b":1},"c":null}', 'a={"b":1}  c=null'],
  ['[1]', '[1]'],
  ['null', 'null'],
  ['7', '7'],
  ['{broken', '{broken'],
])('the arguments %s read "%s"', (given, text) => {
  expect(describeArguments(given)).toBe(text);
});

test('a call shows its tool, and the ends of a long argument', () => {
  const script = Array.from({ length: 12 }, (_, n) => `line ${n}`).join('\n');
  const argumentsText = JSON.stringify({ command: script });

  expect(renderToolCall({ id: 'c', name: 'run', argumentsText }, plainPage(80))).toEqual([
    '→ run  $ line 0',
    ...['line 1', 'line 2', 'line 3', 'line 4', 'line 5', '… 4 more lines …', 'line 10', 'line 11'].map(
      (line) => `  ${line}`,
    ),
  ]);
  expect(renderToolCall({ id: 'c', name: 'list', argumentsText: '' }, markedPage(80))).toEqual([
    '{yellow|→} {bold|list}',
  ]);
});

const render = (answer: object, page = plainPage(80)) =>
  renderToolAnswer({ call: { id: 'c', name: 'run', argumentsText: '' }, answer: answer as ToolAnswer }, page);

test.each<[unknown, readonly string[]]>([
  ['a\nb\n', ['← run', '  │ a', '  │ b']],
  ['', ['← run']],
  [7, ['← run: 7']],
  [null, ['← run: null']],
  [undefined, ['← run']],
  [{ status: 'completed', exit_code: 0, process_id: 'tool_a' }, ['← run: completed, code 0, tool_a']],
  [{ status: 'killed', exit_code: null, message: 'It is gone.' }, ['← run: killed. It is gone.']],
  [{ message: 'It is gone.', output: 'x' }, ['← run: It is gone.', '  │ x']],
  [{ status: 'backgrounded', message: 'Wait for it.' }, ['← run: backgrounded']],
  [{ output: 'x', extra: 1 }, ['← run', '  │ x']],
  [{ extra: 1, more: 'y' }, ['← run', '  │ {', '  │  "extra": 1,', '  │  "more": "y"', '  │ }']],
  [{ processes: [] }, ['← run: no processes']],
  [
    { processes: [{ process_id: 'tool_a', status: 'running', label: 'web', command: 'serve' }] },
    ['← run: 1 process', '  │ tool_a  running  web  serve'],
  ],
  [
    { processes: [{ process_id: 'tool_a', label: null }, { process_id: 'tool_b' }] },
    ['← run: 2 processes', '  │ tool_a', '  │ tool_b'],
  ],
])('the answer %j is shown as %j', (data, rows) => {
  expect(render({ ok: true, data })).toEqual(rows);
});

test.each<[string, unknown, readonly string[]]>([
  ['no', undefined, ['← run failed: no']],
  ['It is over.\nlast line', undefined, ['← run failed: It is over.', '  │ last line']],
  ['It says:\nlast line', undefined, ['← run failed: It says:', '  │ last line']],
  ['one\ntwo', undefined, ['← run failed', '  │ one', '  │ two']],
  ['no', { output: 'more' }, ['← run failed: no', '  │ more']],
])('the failure %j with %j is shown as %j', (error, data, rows) => {
  expect(render({ ok: false, error, ...(data !== undefined && { data }) })).toEqual(rows);
});

test('the ends of a long output are shown', () => {
  const lines = Array.from({ length: 20 }, (_, n) => String(n));
  const shown = ['0', '1', '2', '3', '4', '… 10 more lines …', '15', '16', '17', '18', '19'].map(
    (line) => `  │ ${line}`,
  );

  expect(render({ ok: true, data: lines.join('\n') })).toEqual(['← run', ...shown]);
  expect(render({ ok: false, error: lines.join('\n') })).toEqual(['← run failed', ...shown]);
});

test('an answer is dim, a failure red', () => {
  expect(render({ ok: true, data: 7 }, markedPage(80))).toEqual(['{yellow|←} {dim|run: 7}']);
  expect(render({ ok: false, error: 'no' }, markedPage(80))).toEqual(['{yellow|←} {red|run failed: no}']);
});

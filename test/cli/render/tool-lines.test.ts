import { expect, test } from 'vitest';
import { renderToolAnswer, renderToolCall } from '../../../src/cli/render/tool-lines.ts';
import { plainPage } from '../plain-page.ts';

const page = plainPage(60);
const call = (name: string, given: unknown) => ({ id: 'c', name, argumentsText: JSON.stringify(given) });

test('a call shows its command behind a dollar sign', () => {
  const rows = renderToolCall(call('run_command', { command: 'npm test', timeout_seconds: 5 }), page);

  expect(rows).toEqual(['→ run_command  timeout_seconds=5  $ npm test']);
});

test('a call shortens a long script', () => {
  const script = Array.from({ length: 20 }, (_, line) => `line ${line}`).join('\n');

  const rows = renderToolCall(call('run_command', { command: script }), page);

  expect(rows).toHaveLength(9);
  expect(rows[6]).toBe('  … 12 more lines …');
});

test('a call shows invalid arguments unchanged', () => {
  const rows = renderToolCall({ id: 'c', name: 'x', argumentsText: '{"a": \x1b[31m' }, page);

  expect(rows).toEqual(['→ x  {"a":']);
});

test('an answer separates exit code and output', () => {
  const answer = { ok: true, data: { process_id: 'tool_a', exit_code: 0, output: 'hi\nthere\n' } } as const;

  const rows = renderToolAnswer({ call: call('run_command', {}), answer }, page);

  expect(rows).toEqual(['← run_command: code 0, tool_a', '  │ hi', '  │ there']);
});

test('an answer prints the message of a tool once', () => {
  const said = (data: object) =>
    renderToolAnswer({ call: call('kill_process', {}), answer: { ok: true, data } as never }, page);

  expect(said({ process_id: 'tool_a', status: 'killed', message: 'It is gone.' })).toEqual([
    '← kill_process: killed, tool_a. It is gone.',
  ]);
  expect(said({ message: 'Nothing to do.', count: 3 })).toEqual(['← kill_process: Nothing to do.']);
  expect(said({ message: 'It said:', output: 'hi' })).toEqual(['← kill_process: It said:', '  │ hi']);
});

test('an answer omits hints meant for the model', () => {
  const data = { process_id: 'tool_a', status: 'backgrounded', message: 'Use get_process_output.' };

  const rows = renderToolAnswer({ call: call('start_process', {}), answer: { ok: true, data } }, page);

  expect(rows).toEqual(['← start_process: backgrounded, tool_a']);
});

test('long output keeps its head and its tail', () => {
  const output = Array.from({ length: 100 }, (_, line) => `line ${line}`).join('\n');

  const rows = renderToolAnswer({ call: call('x', {}), answer: { ok: true, data: output } }, page);

  expect(rows).toHaveLength(12);
  expect(rows.slice(5, 8)).toEqual(['  │ line 4', '  │ … 90 more lines …', '  │ line 95']);
});

test('an overlong line of output is cut', () => {
  const rows = renderToolAnswer({ call: call('x', {}), answer: { ok: true, data: 'y'.repeat(500) } }, page);

  expect(rows[1]).toBe(`  │ ${'y'.repeat(55)}…`);
});

test('a failed call says what failed', () => {
  const answer = { ok: false, error: 'Process "x" not found.\nThere are no processes.' } as const;

  const rows = renderToolAnswer({ call: call('kill_process', {}), answer }, page);

  expect(rows).toEqual(['← kill_process failed: Process "x" not found.', '  │ There are no processes.']);
});

test('the output of a failed command is quoted', () => {
  const answer = { ok: false, error: 'one\ntwo\n' } as const;

  const rows = renderToolAnswer({ call: call('run_command', {}), answer }, page);

  expect(rows).toEqual(['← run_command failed', '  │ one', '  │ two']);
});

test('output of a tool cannot move the cursor', () => {
  const data = '\x1b[2J\x1b[1;1Hfake › \r\nnext\x9b31m\u202eabc';

  const rows = renderToolAnswer({ call: call('x', {}), answer: { ok: true, data } }, page);

  expect(rows).toEqual(['← x', '  │ fake ›', '  │ nextabc']);
});

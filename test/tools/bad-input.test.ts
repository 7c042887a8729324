import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { callTool } from '../../src/tools/call-tool.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { allTools, arrange, dataOf, errorOf, shown } from './arrange.ts';

/** Every way to name a process, in every set: the tool, its field, and what else it needs. */
const byId: readonly { tool: string; field: string; more: Record<string, unknown> }[] = [
  ...['check_process', 'get_process_output', 'kill_process', 'wait_for', 'restart_process'].map((tool) => ({
    tool,
    field: 'process_id',
    more: {},
  })),
  ...['capture_screen', 'watch_process', 'unwatch_process'].map((tool) => ({
    tool,
    field: 'process_id',
    more: {},
  })),
  { tool: 'send_keys', field: 'process_id', more: { keys: ['Enter'] } },
  { tool: 'resize_terminal', field: 'process_id', more: { columns: 100, rows: 30 } },
  { tool: 'write_process', field: 'process_id', more: { input: 'x' } },
  { tool: 'schedule', field: 'process_id', more: { message: 'x', after_seconds: 1 } },
  ...['status', 'log', 'capture', 'kill', 'watch', 'unwatch'].map((action) => ({
    tool: 'background_process',
    field: 'handle',
    more: { action },
  })),
  { tool: 'background_process', field: 'handle', more: { action: 'send_keys', keys: 'Enter' } },
  { tool: 'background_process', field: 'handle', more: { action: 'resize', columns: 100, rows: 30 } },
  { tool: 'background_process', field: 'handle', more: { action: 'write', input: 'x' } },
  ...['bg_status', 'bg_output', 'bg_kill'].map((tool) => ({ tool, field: 'id', more: {} })),
  ...['status', 'output', 'stop'].map((action) => ({ tool: 'process', field: 'pid', more: { action } })),
];

const optional = ['schedule', 'bg_status'];

test.for(byId.filter(({ tool }) => !optional.includes(tool)))(
  '$tool $more names a missing id',
  async ({ tool, field, more }) => {
    await using given = arrange();

    const answers = await Promise.all(
      [{}, { [field]: '' }, { [field]: null }].map((input) => given.call(tool, { ...more, ...input })),
    );

    for (const answer of answers) expect(shown(answer)).toEqual({ ok: false, error: `${field} is required` });
  },
);

describe.for(byId)('$tool $more', ({ tool, field, more }) => {
  test('offers the nearest id', async () => {
    await using given = arrange();
    const { id } = given.start('serve');
    const wrong = `${id.slice(0, -1)}_`;

    const answer = await given.call(tool, { ...more, [field]: wrong });

    expect(errorOf(answer)).toBe(`Process ${wrong} not found. Did you mean ${id}?`);
  });

  test("does not know another owner's process", async () => {
    await using given = arrange();
    const { id, status } = given.start('serve', { owner: 'somebody', stdin: 'pipe' });

    const answer = await given.call(tool, { ...more, [field]: id });

    expect(errorOf(answer)).toBe(
      `Process ${id} not found. There are no processes. A process that ended long ago is forgotten.`,
    );
    expect(given.supervisor.get(id)?.status).toBe(status);
    expect(given.backend.lastRun.input).toBe('');
  });

  test('shows control characters of an id in words', async () => {
    await using given = arrange();

    const answer = await given.call(tool, { ...more, [field]: '\x1b[2Jtool\n\x9b' });

    expect(errorOf(answer)).toMatch(/^Process "\\u001b\[2Jtool\\n\\u009b" not found\./);
  });

  test('refuses an id of a wrong type', async () => {
    await using given = arrange();

    for (const wrong of [{}, [], true]) {
      const answer = await given.call(tool, { ...more, [field]: wrong });

      expect(errorOf(answer)).toContain(`"${field}" is `);
    }
  });
});

test.for([
  ['run_command', {}],
  ['start_process', {}],
  ['background_process', { action: 'spawn' }],
  ['bg_start', {}],
  ['process', { action: 'start' }],
] as const)('%s %j names a missing command', async ([tool, input]) => {
  await using given = arrange();

  const answer = await given.call(tool, input);

  expect(errorOf(answer)).toBe('command is required');
  expect(given.backend.runs).toEqual([]);
});

test.for(allTools.map(({ name }) => name))('%s survives anything', async (name) => {
  await using given = arrange();
  const texts = [
    '',
    'null',
    '[]',
    '"x"',
    '7',
    '{',
    '{"a":',
    '{"__proto__":{"x":1}}',
    '{"action":{}}',
    '\u0000',
  ];

  for (const text of texts) {
    const answer = await given.callWithText(name, text);

    expect(typeof answer.ok).toBe('boolean');
    if (!answer.ok) expect(answer.error).not.toMatch(/undefined|\[object/);
  }
  expect(given.backend.runs).toEqual([]);
});

test('broken arguments are named, with the tool', async () => {
  await using given = arrange();

  const answer = await given.callWithText('run_command', '{"command": "ls');

  expect(errorOf(answer)).toMatch(
    /^The arguments of run_command are not valid JSON: .* Send one JSON object\.$/,
  );
});

test('an unknown tool is named, with the nearest', async () => {
  await using given = arrange();

  const near = await given.call('check_proces');
  const far = await given.callWithText('xyzzy\x1b[2J', '{');

  expect(errorOf(near)).toBe('There is no tool "check_proces". Did you mean check_process?');
  expect(errorOf(far)).toMatch(/^There is no tool "xyzzy\\u001b\[2J"\. Tools: run_command, /);
});

test.for(['background_process', 'process'])('%s lists its actions when one is unknown', async (name) => {
  await using given = arrange();

  const answer = await given.call(name, { action: 'lits' });
  const missing = await given.call(name, {});

  expect(errorOf(answer)).toMatch(/"action" is "lits"; expected one of "\w+", .*the nearest is "list"/);
  expect(errorOf(missing)).toBe('action is required');
});

test('an unknown argument is met with the known one', async () => {
  await using given = arrange();

  const answer = await given.call('run_command', { command: 'ls', timeout_second: 3 });

  expect(errorOf(answer)).toContain('Did you mean "timeout_seconds"?');
});

test('wrong types are named with what was expected', async () => {
  await using given = arrange();

  const answer = await given.call('run_command', { command: 'ls', timeout_seconds: 'soon' });

  expect(errorOf(answer)).toBe('run_command: "timeout_seconds" is "soon"; expected a number.');
});

test('numbers and truths written as text are taken', async () => {
  await using given = arrange();
  const { id } = given.start('count');
  given.backend.lastRun.print('1\n2\n');

  const answer = await given.call('get_process_output', {
    process_id: id,
    tail: '1',
    since_last_read: 'false',
    grep: null,
    limit: '',
  });

  expect(dataOf(answer).output).toBe('2\n');
});

test('a single item is taken for a list of one', async () => {
  await using given = arrange();
  const { id } = given.start('vim');

  const answer = await given.call('send_keys', { process_id: id, keys: 'Enter' });

  expect(errorOf(answer)).toContain('has no terminal');
});

test('an empty text that a tool allows is no missing one', async () => {
  const write = defineTool({
    name: 'write_file',
    description: 'Writes.',
    input: z.strictObject({ text: z.string(), note: z.string().optional() }),
    execute: async (input) => ({ ok: true, data: input }),
  });
  await using given = arrange({ wiring: { tools: [write] } });

  const answer = await given.call('write_file', { text: '', note: '' });

  expect(dataOf(answer)).toEqual({ text: '', note: '' });
});

const cycle: { self?: unknown } = {};
cycle.self = cycle;

test.for([
  ['nothing', undefined, /answered nothing; it should answer/],
  ['null', null, /answered an invalid answer \(null\)/],
  ['a text', 'done', /answered an invalid answer \(a string\)/],
  ['a list', [], /\(a list\)/],
  ['no ok', { data: 1 }, /without a boolean "ok"/],
  ['a cycle', { ok: true, data: cycle }, /is not valid JSON/],
  ['a big integer', { ok: true, data: 1n }, /is not valid JSON/],
  ['a function', { ok: true, data: () => {} }, /is not valid JSON: it is a function/],
  ['an error object', { ok: false, error: new Error('broken') }, /^broken$/],
  ['no error', { ok: false }, /odd failed and did not say why/],
] as const)('a tool that answers %s gets a clear text', async ([, answered, expected]) => {
  await using given = arrange({ wiring: { tools: [toolThatAnswers(answered)] } });

  const answer = await given.call('odd');

  expect(errorOf(answer)).toMatch(expected);
});

test.for([
  ['prepare throws', { prepare: fail }],
  ['run throws', { prepare: () => ({ ok: true, intent: { permission: 'other' }, run: fail }) }],
] as const)('a tool whose %s does not throw into the loop', async ([, broken]) => {
  await using given = arrange({ wiring: { tools: [{ ...toolThatAnswers(null), ...broken } as Tool] } });

  const answer = await given.call('odd');

  expect(errorOf(answer)).toBe('boom');
});

test('a closed conversation answers for its calls', async () => {
  const closing = new AbortController();
  await using given = arrange({ wiring: { abandon: closing.signal } });
  const { id } = given.start('serve');
  const pending = callTool({ name: 'wait_for', input: { process_id: id } }, given.wiring);

  closing.abort(new Error('The conversation was closed.'));

  expect(errorOf(await pending)).toBe('The conversation was closed.');
  expect(errorOf(await callTool({ name: 'x', input: '' }, given.wiring))).toContain('no tool');
});

function toolThatAnswers(answered: unknown): Tool {
  return {
    name: 'odd',
    description: 'Odd.',
    inputSchema: { type: 'object', properties: {} },
    permissions: ['other'],
    prepare: () => ({
      ok: true,
      intent: { permission: 'other' },
      run: async () => answered as never,
    }),
  };
}

function fail(): never {
  throw new Error('boom');
}

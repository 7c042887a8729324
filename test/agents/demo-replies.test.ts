import { expect, test } from 'vitest';
import { toFirstMessage } from '../../src/agents/delegation-text.ts';
import { createDemoModel } from '../../src/agents/demo-model.ts';
import { toNotice } from '../../src/mailbox/notice.ts';
import { toEndedPart } from '../../src/mailbox/notice-part.ts';
import type { ChatDelta, ChatMessage } from '../../src/models/chat-model.ts';
import { collectReply } from '../../src/models/collect-reply.ts';
import { endedView } from '../support/views.ts';

const everyTool = [
  ...['run_command', 'start_process', 'list_processes', 'check_process', 'get_process_output'],
  ...['kill_process', 'delegate_to_coder'],
];

/** Returns the reply of the demo model to these messages. */
async function reply(messages: readonly ChatMessage[], toolNames: readonly string[] = everyTool) {
  const tools = toolNames.map((name) => ({ name, description: '', inputSchema: {} }));
  const { signal } = new AbortController();
  const stream: AsyncIterable<ChatDelta> = createDemoModel().stream({ messages, tools, signal });
  return collectReply(stream, { onText: () => {} });
}

const user = (text: string): ChatMessage => ({ role: 'user', text });
const result = (answer: unknown, name = 'run_command'): ChatMessage => ({
  ...{
    role: 'tool',
    callId: 'call_1',
    name,
    text: typeof answer === 'string' ? answer : JSON.stringify(answer),
  },
});
const good = (data: unknown) => result({ ok: true, data });

test('the demo model answers an unknown line with a list of those that it knows', async () => {
  expect((await reply([user('Hello!')])).text).toBe(
    `I am a small script, not a language model: no key for one is set.
I understand, one a line:
  run <command>        runs it and shows what it prints; a slow one continues in the background
  start <command>      starts it in the background
  list                 shows what runs
  check <id>, output <id>, kill <id>
  ask <agent> to <what it shall do>
Set OPENAI_API_KEY (and model.name in the agent's file) to talk to a real model.`,
  );
});

test.for([
  ['run echo a; echo b', 'run_command', { command: 'echo a; echo b' }],
  ['  RUN ls  ', 'run_command', { command: 'ls' }],
  ['start serve', 'start_process', { command: 'serve' }],
  ['list', 'list_processes', { include_completed: false }],
  ['list all', 'list_processes', { include_completed: true }],
  ['check tool_1', 'check_process', { process_id: 'tool_1' }],
  ['output tool_1', 'get_process_output', { process_id: 'tool_1' }],
  ['kill tool_1', 'kill_process', { process_id: 'tool_1' }],
  ['stop tool_1', 'kill_process', { process_id: 'tool_1' }],
  ['ask coder to fix it', 'delegate_to_coder', { task: 'fix it' }],
  ['ask coder in background to fix it', 'delegate_to_coder', { task: 'fix it', background: true }],
  ['ask coder in process to fix it', 'delegate_to_coder', { task: 'fix it', mode: 'in_process' }],
  [
    'ask coder in background in subprocess to fix it',
    'delegate_to_coder',
    { task: 'fix it', background: true, mode: 'subprocess' },
  ],
] as const)('"%s" calls %s', async ([text, name, given]) => {
  expect(await reply([user(text)])).toEqual({
    role: 'assistant',
    text: '',
    toolCalls: [{ id: 'call_1_1', name, argumentsText: JSON.stringify(given) }],
  });
});

test.for(['please run ls', 'run', 'list some', 'check a b', 'output', 'kill', 'ask coder', 'listall'])(
  '"%s" calls nothing',
  async (text) => {
    expect((await reply([user(text)])).toolCalls).toEqual([]);
  },
);

test('each line of the last messages is a call, and the context of a task is none', async () => {
  const task = toFirstMessage({ task: 'run three', context: { parent_task: 'run four' } });

  const { toolCalls } = await reply([
    ...[user('run zero'), { role: 'assistant', text: 'ok', toolCalls: [] } as const],
    ...[user('run one\nwell\nrun two'), user(task)],
  ]);

  expect(toolCalls.map(({ id, argumentsText }) => `${id} ${argumentsText}`)).toEqual([
    'call_4_1 {"command":"one"}',
    'call_4_2 {"command":"two"}',
    'call_4_3 {"command":"three"}',
  ]);
});

test.for([
  [['list_processes'], 'I have no tool run_command here. My tools: list_processes.'],
  [['bg_start', 'bg_kill'], 'I have no tool list_processes here. My tools: bg_start, bg_kill.'],
  [[], 'I have no tool list_processes here. My tools: none.'],
] as const)('a demo model with the tools %j says what it lacks', async ([tools, text]) => {
  expect(await reply([user('list\nrun ls')], [...tools])).toMatchObject({ text, toolCalls: [] });
});

test.for<readonly [answer: unknown, remark: string]>([
  [{ exit_code: 0, output: 'hello\n' }, 'It worked:\nhello\n'],
  [{ exit_code: 0, output: '' }, 'It worked and printed nothing.'],
  [{ exit_code: 3, output: 'no\n' }, 'It ended with code 3:\nno\n'],
  [{ exit_code: null, output: '' }, 'It ended with code null and printed nothing.'],
  [
    { status: 'backgrounded', process_id: 'tool_1' },
    'It continues in the background as tool_1. I will tell you when it ends.',
  ],
  [{ processes: [] }, 'Nothing runs.'],
  [
    {
      processes: [
        { process_id: 'tool_1', status: 'running', command: 'make' },
        { process_id: 'tool_2', status: 'failed', command: 'test' },
      ],
    },
    'tool_1  running  make\ntool_2  failed  test',
  ],
  [{ message: 'Killed.' }, 'Killed.'],
  ['All done.', 'run_command answered:\nAll done.'],
  [{ other: 1 }, '{"other":1}'],
  [null, 'null'],
])('the data %j is told as %j', async ([data, remark]) => {
  expect((await reply([user('x'), good(data)])).text).toBe(remark);
});

test('several results are told one after another', async () => {
  const { text } = await reply([user('x'), good({ message: 'One.' }), good({ message: 'Two.' })]);

  expect(text).toBe('One.\n\nTwo.');
});

test('an error and a text that is no answer are told', async () => {
  const texts = [
    await reply([result({ ok: false, error: 'Denied.' })]),
    await reply([result({ ok: false, error: { code: 1 } })]),
    await reply([result('no JSON')]),
  ].map(({ text }) => text);

  expect(texts).toMatchInlineSnapshot(`
    [
      "run_command did not work: Denied.",
      "run_command did not work: {"code":1}",
      "no JSON",
    ]
  `);
});

test('long output is told from its end', async () => {
  const { text } = await reply([good({ exit_code: 0, output: `${'a'.repeat(5_000)}end` })]);

  expect(text).toMatch(/^It worked:\n…a+end$/);
  expect(text).toHaveLength(2_000 + 'It worked:\n…'.length);
});

const noticeOf = (text: string): ChatMessage => ({ role: 'notice', completionIds: [], text });
const ended = (answer: string | null) =>
  toNotice([toEndedPart(endedView({ label: 'a & <b>' }), { tail: '', unreadBytes: 0, ports: [], answer })]);

test('a notice is told by its sentences and answers', async () => {
  const texts = [
    await reply([noticeOf(ended(null))]),
    await reply([noticeOf(ended('Said "<this>".\nTwice.'))]),
    await reply([noticeOf(ended(null)), noticeOf('<process_notice/>')]),
  ].map(({ text }) => text);

  expect(texts).toMatchInlineSnapshot(`
    [
      "tool_example1 (a & <b>) completed after 3.2s: it exited with code 0.",
      "tool_example1 (a & <b>) completed after 3.2s: it exited with code 0.
    Said "<this>".
    Twice.",
      "tool_example1 (a & <b>) completed after 3.2s: it exited with code 0.
    Something happened; see the notice.",
    ]
  `);
});

test('an aborted reply stops', async () => {
  const stream = createDemoModel().stream({
    messages: [user('Hello!')],
    tools: [],
    signal: AbortSignal.abort(new Error('enough')),
  });

  await expect(collectReply(stream, { onText: () => {} })).rejects.toThrow('enough');
});

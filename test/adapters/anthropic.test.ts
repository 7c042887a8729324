import { expect, test } from 'vitest';
import {
  type AnthropicReply,
  type AnthropicStep,
  toRunnableTools,
  withNotices,
} from '../../src/adapters/anthropic.ts';
import { build, buildSchema, createFakeHost, noticeText } from './fake-host.ts';

/** Text of a notice of `a` and `b` as it stands in a message. */
const marked = { type: 'text', text: `${noticeText}\n<!-- troupe:a b -->` };

const results = [{ type: 'tool_result', tool_use_id: 'call_1', content: 'built' }];

function reply(stop_reason: string | null, text = 'Hm.'): AnthropicReply {
  return { role: 'assistant', content: [{ type: 'text', text }], stop_reason };
}

/** A runner that yields these steps and keeps its messages, as far as `withNotices` sees it. */
function createFakeRunner(
  steps: readonly AnthropicStep[],
  { messages = [{ role: 'user', content: 'Build.' }] }: { readonly messages?: readonly unknown[] } = {},
) {
  const params = { messages: [...messages] };
  let responses = 0;
  return {
    params,
    responses: () => responses,
    generateToolResponse: async () => {
      responses += 1;
      return { content: results };
    },
    pushMessages: (...more: unknown[]) => void params.messages.push(...more),
    async *[Symbol.asyncIterator]() {
      yield* steps;
    },
  };
}

async function collect<T>(steps: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const step of steps) all.push(step);
  return all;
}

test('a tool is described, and its call has id, input and signal', async () => {
  const { host, calls } = createFakeHost();
  const [tool] = toRunnableTools(host);
  const { signal } = new AbortController();

  const text = await tool?.run({ target: 'all' }, { toolUse: { id: 'call_1' }, signal });
  await tool?.run({}, { toolUse: { id: 'call_2' }, signal: null });
  await tool?.run({});

  expect(tool).toMatchObject({
    ...{ type: 'custom', name: 'build', description: 'Builds a target.', input_schema: buildSchema },
  });
  expect(tool?.parse('as it is')).toBe('as it is');
  expect(text).toBe('{"ok":true,"data":{"built":2}}');
  expect(calls).toEqual([
    { request: { id: 'call_1', name: 'build', input: { target: 'all' } }, signal, consent: 'none' },
    { request: { id: 'call_2', name: 'build', input: {} }, signal: undefined, consent: 'none' },
    { request: { id: undefined, name: 'build', input: {} }, signal: undefined, consent: 'none' },
  ]);
});

test('the schema of a tool is always one of an object', () => {
  const { host } = createFakeHost();
  const bare = { ...host, tools: [{ ...build, inputSchema: { type: 'string', description: 'x' } }] };

  expect(toRunnableTools(bare)[0]?.input_schema).toEqual({ type: 'object', description: 'x' });
});

test('a notice from before the run enters its first request, and the reply confirms it', async () => {
  const { host, wait, confirmed } = createFakeHost();
  const runner = createFakeRunner([reply('end_turn')]);
  wait('a', 'b');
  const steps = withNotices(host, runner);

  const first = await steps.next();
  const before = [...confirmed];
  await steps.return();

  expect(first.value).toEqual(reply('end_turn'));
  expect(runner.params.messages).toEqual([
    { role: 'user', content: 'Build.' },
    { role: 'user', content: [marked] },
  ]);
  expect([before, confirmed]).toEqual([[], [['a', 'b']]]);
});

test('a body that leaves before the end of a stream confirms nothing', async () => {
  const { host, wait, confirmed } = createFakeHost();
  const endless = { finalMessage: () => new Promise<AnthropicReply>(() => {}) };
  wait('a', 'b');
  const steps = withNotices(host, createFakeRunner([endless]));

  await steps.next();
  await steps.return();

  expect(confirmed).toEqual([]);
});

test('the final message of a stream is its reply', async () => {
  const { host, wait, confirmed } = createFakeHost();
  const stream = { finalMessage: async () => reply('end_turn', 'Streamed.') };
  const runner = createFakeRunner([stream, reply('end_turn')]);

  const steps = withNotices(host, runner);
  await steps.next();
  wait('a', 'b');
  await steps.next();
  await steps.next();

  expect(runner.params.messages.slice(1)).toEqual([
    { role: 'assistant', content: [{ type: 'text', text: 'Streamed.' }] },
    { role: 'user', content: [marked] },
  ]);
  expect(confirmed.at(-1)).toEqual(['a', 'b']);
});

test('a stream that fails rejects after its step', async () => {
  const { host } = createFakeHost();
  const broken = { finalMessage: () => Promise.reject(new Error('cut')) };

  await expect(collect(withNotices(host, createFakeRunner([broken])))).rejects.toThrow('cut');
});

test('a notice enters beside the results of a step', async () => {
  const { host, wait } = createFakeHost();
  const runner = createFakeRunner([reply('tool_use'), reply('end_turn')]);
  const steps = withNotices(host, runner);
  await steps.next();
  wait('a', 'b');

  await steps.next();

  expect(runner.params.messages.slice(1)).toEqual([
    { role: 'assistant', content: [{ type: 'text', text: 'Hm.' }] },
    { role: 'user', content: [...results, marked] },
  ]);
  expect(runner.responses()).toBe(1);
});

test.for([
  ['end_turn', 2],
  ['stop_sequence', 2],
  ['max_tokens', 0],
  ['pause_turn', 0],
  [null, 0],
] as const)('after a reply that stops with %s the run gets %i messages', async ([reason, count]) => {
  const { host, wait } = createFakeHost();
  const runner = createFakeRunner([reply(reason)]);
  const steps = withNotices(host, runner);
  await steps.next();
  wait('a', 'b');

  await steps.next();

  expect(runner.params.messages.slice(1)).toHaveLength(count);
  expect(runner.responses()).toBe(0);
});

test('a body that changes the messages postpones the notice', async () => {
  const { host, wait } = createFakeHost();
  const runner = createFakeRunner([reply('end_turn'), reply('end_turn')]);
  const steps = withNotices(host, runner);
  await steps.next();
  wait('a', 'b');
  const own = { role: 'user', content: 'Wait.' };
  runner.pushMessages(own);

  await steps.next();
  const postponed = runner.params.messages.slice(1);
  await steps.next();

  expect(postponed).toEqual([own]);
  expect(runner.params.messages.slice(2)).toMatchObject([{ role: 'assistant' }, { content: [marked] }]);
});

test('messages that contain a notice confirm it before the run, and only those of the user', async () => {
  const messages = [
    { role: 'user', content: noticeText },
    { role: 'assistant', content: [{ ...marked, text: marked.text.replace('a b', 'c') }] },
    { role: 'user', content: [{ ...marked, type: 'document' }, { type: 'image' }, marked] },
  ];
  const { host, wait, confirmed } = createFakeHost();
  wait('a', 'b');
  const runner = createFakeRunner([reply('end_turn')], { messages });

  await collect(withNotices(host, runner));

  expect(new Set(confirmed.map((ids) => ids.join(' ')))).toEqual(new Set(['a b']));
  expect(runner.params.messages).toHaveLength(3);
});

test('a run that its limit ends confirms the notice of its last step', async () => {
  const { host, wait, confirmed } = createFakeHost();
  const steps = withNotices(host, createFakeRunner([reply('end_turn')]));
  await steps.next();
  wait('a', 'b');

  expect(await steps.next()).toEqual({ done: true, value: undefined });
  expect(confirmed).toEqual([['a', 'b']]);
});

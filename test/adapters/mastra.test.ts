import { expect, test } from 'vitest';
import { createMastraParts, type MastraCallContext } from '../../src/adapters/mastra.ts';
import { buildSchema, createFakeHost, noticeText, question } from './fake-host.ts';

interface Action {
  readonly id: string;
  readonly execute: (input: unknown, context?: MastraCallContext) => Promise<unknown>;
}

function arrange(options: Parameters<typeof createFakeHost>[0] & { readonly suspends?: boolean } = {}) {
  const fake = createFakeHost(options);
  const { suspends } = options;
  const parts = createMastraParts(fake.host, {
    createTool: (action) => action as Action,
    ...(suspends !== undefined && { suspends }),
  });
  const suspended: unknown[] = [];
  const agent = (resumeData?: unknown): MastraCallContext => ({
    agent: { toolCallId: 'call_1', resumeData, suspend: async (asked) => void suspended.push(asked) },
  });
  const { build } = parts.tools;
  if (build === undefined) throw new Error('There is no tool.');
  return { ...fake, parts, build, suspended, agent };
}

const asking = { type: 'ask', question } as const;

test('a tool is described, and its call has id, input and signal', async () => {
  const { build, calls, agent, parts } = arrange();
  const { signal } = new AbortController();

  const answer = await build.execute({ target: 'all' }, { ...agent(), abortSignal: signal });

  expect(Object.keys(parts.tools)).toEqual(['build']);
  expect(build).toMatchObject({ id: 'build', description: 'Builds a target.', inputSchema: buildSchema });
  expect(answer).toEqual({ ok: true, data: { built: 2 } });
  expect(calls).toEqual([
    { request: { id: 'call_1', name: 'build', input: { target: 'all' } }, signal, consent: 'none' },
  ]);
});

test('a call without a context is made', async () => {
  const { build, calls } = arrange({ suspends: true, decision: asking });

  expect(await build.execute({})).toEqual({ ok: true, data: { built: 2 } });
  expect(calls).toMatchObject([{ request: { id: undefined, name: 'build', input: {} }, consent: 'none' }]);
});

test('a question suspends the run, and nothing is called', async () => {
  const { build, calls, judged, suspended, agent } = arrange({ suspends: true, decision: asking });

  expect(await build.execute({ target: 'all' }, agent())).toBeUndefined();
  expect(suspended).toEqual([question]);
  expect(judged).toEqual([{ id: 'call_1', name: 'build', input: { target: 'all' } }]);
  expect(calls).toEqual([]);
});

test.for([
  ['approval', { approved: true }, true],
  ['refusal', { approved: false }, false],
  ['nothing about it', {}, false],
  ['another truth', { approved: 'yes' }, false],
] as const)('a run that is resumed with %s answers the question so', async ([, resumed, consent]) => {
  const { build, calls, judged, suspended, agent } = arrange({ suspends: true, decision: asking });

  await build.execute({ target: 'all' }, agent(resumed));

  expect([suspended, judged]).toEqual([[], []]);
  expect(calls).toMatchObject([{ consent }]);
});

test('a call that needs no consent is not suspended', async () => {
  const { build, calls, suspended, agent } = arrange({ suspends: true });

  await build.execute({}, agent());

  expect([suspended, calls.length]).toEqual([[], 1]);
});

test('the host asks where runs are not suspended', async () => {
  const { build, calls, suspended, agent } = arrange({ decision: asking });

  await build.execute({}, agent());

  expect(suspended).toEqual([]);
  expect(calls).toMatchObject([{ consent: 'none' }]);
});

test('a notice is a message before the request, and is confirmed with the result', () => {
  const { parts, wait, confirmed } = arrange();
  const [input] = parts.inputProcessors;
  const [output] = parts.outputProcessors;
  const messages: { readonly id?: string }[] = [];
  const added: unknown[] = [];
  const messageList = {
    get: { all: { db: () => messages } },
    add: (message: never, source: string) => {
      messages.push(message);
      added.push([message, source]);
    },
  };
  const first = input?.processInputStep({ messages, messageList });
  wait('a', 'b');

  const second = input?.processInputStep({ messages, messageList });
  const before = [...confirmed];
  const third = output?.processOutputResult({ messageList });

  expect([first, second, third]).toEqual([messageList, messageList, messageList]);
  expect(added).toEqual([[{ role: 'user', id: 'troupe:a b', content: noticeText }, 'input']]);
  expect([before, confirmed]).toEqual([[], [['a', 'b']]]);
  expect([input?.id, output?.id]).toEqual(['troupe', 'troupe']);
});

import { expect, test } from 'vitest';
import { createLangChainMiddleware, type LangChainCallConfig } from '../../src/adapters/langchain.ts';
import { buildSchema, createFakeHost, noticeText, question } from './fake-host.ts';

function arrange({
  interrupt,
  ...options
}: Parameters<typeof createFakeHost>[0] & { readonly interrupt?: (asked: unknown) => unknown } = {}) {
  const fake = createFakeHost(options);
  const middleware = createLangChainMiddleware(fake.host, {
    tool: (run: (input: unknown, config: LangChainCallConfig) => Promise<string>, fields) => ({
      run,
      fields,
    }),
    ...(interrupt && { interrupt }),
  });
  const [build] = middleware.tools;
  if (build === undefined) throw new Error('There is no tool.');
  return { ...fake, middleware, build };
}

test('a tool is described, and its call has id, input and signal', async () => {
  const { build, calls, judged, middleware } = arrange();
  const { signal } = new AbortController();

  const text = await build.run({ target: 'all' }, { signal, toolCall: { id: 'call_1' } });

  expect(middleware.name).toBe('troupe');
  expect(build.fields).toEqual({ name: 'build', description: 'Builds a target.', schema: buildSchema });
  expect(text).toBe('{"ok":true,"data":{"built":2}}');
  expect(calls).toEqual([
    { request: { id: 'call_1', name: 'build', input: { target: 'all' } }, signal, consent: 'none' },
  ]);
  expect(judged).toEqual([]);
});

test('a call without an id is made', async () => {
  const { build, calls } = arrange();

  await build.run({}, {});

  expect(calls).toMatchObject([{ request: { id: undefined, name: 'build', input: {} } }]);
});

test.for([
  ['true', true, true],
  ["'always'", 'always', 'always'],
  ['false', false, false],
  ['anything else', { approved: true }, false],
] as const)('a run that is resumed with %s answers the question so', async ([, resumed, consent]) => {
  const asked: unknown[] = [];
  const { build, calls, judged } = arrange({
    decision: { type: 'ask', question },
    interrupt: (given) => {
      asked.push(given);
      return resumed;
    },
  });

  await build.run({ target: 'all' }, { toolCall: { id: 'call_1' } });

  expect(asked).toEqual([question]);
  expect(judged).toEqual([{ id: 'call_1', name: 'build', input: { target: 'all' } }]);
  expect(calls).toMatchObject([{ consent }]);
});

test.for(['allow', 'deny'] as const)('a run is not interrupted for a decision to %s', async (type) => {
  const { build, calls } = arrange({
    decision: type === 'deny' ? { type, reason: 'No.' } : { type },
    interrupt: () => {
      throw new Error('It was interrupted.');
    },
  });

  await build.run({ target: 'all' }, {});

  expect(calls).toMatchObject([{ consent: 'none' }]);
});

test('a notice is a message before the request, and is confirmed after the reply', () => {
  const { middleware, wait, confirmed } = arrange();
  const none = middleware.beforeModel({ messages: [{ id: 'msg_1' }] });
  wait('a', 'b');

  const state = middleware.beforeModel({ messages: [] });
  const before = [...confirmed];
  const after = middleware.afterModel({ messages: state?.messages ?? [] });

  expect(none).toBeUndefined();
  expect(state).toEqual({ messages: [{ role: 'user', id: 'troupe:a b', content: noticeText }] });
  expect([before, confirmed, after]).toEqual([[], [['a', 'b']], undefined]);
});

import { dynamicTool, jsonSchema, tool } from 'ai';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type AiSdkToolOptions, fromAiSdkTools } from '../../../src/tools/foreign/from-ai-sdk-tools.ts';
import { toInputSchema } from '../../../src/tools/input-schema.ts';
import { arrange } from '../arrange.ts';

type Tools = Parameters<typeof fromAiSdkTools>[0];

const city = z.object({ city: z.string().describe('a city'), days: z.number().default(1) });

async function hostOf(tools: Tools, options: AiSdkToolOptions = {}) {
  const given = arrange();
  const host = given.host({ tools: await fromAiSdkTools(tools, options) });
  return {
    host,
    answer: async (name: string, input: unknown, signal?: AbortSignal) =>
      (await host.call({ name, input }, { signal })).answer,
    [Symbol.asyncDispose]: async () => {
      await host.close();
      await given[Symbol.asyncDispose]();
    },
  };
}

test('a tool of the AI SDK gets its validated input and answers', async () => {
  const execute = vi.fn(async (input: z.output<typeof city>) => ({ sunny: true, ...input }));
  const weather = tool({ title: 'Weather', description: 'Says the weather', inputSchema: city, execute });
  await using given = await hostOf({ weather });

  const answer = await given.answer('weather', '{ "city": "Oslo" }');

  expect(answer).toMatchObject({ ok: true, data: { sunny: true, city: 'Oslo', days: 1 } });
  expect(execute).toHaveBeenCalledWith(
    { city: 'Oslo', days: 1 },
    expect.objectContaining({ toolCallId: expect.stringMatching(/^call_/), messages: [] }),
  );
  const [made] = given.host.tools;
  expect(made).toMatchObject({ title: 'Weather', description: 'Says the weather', permissions: ['other'] });
  expect(made && toInputSchema(made)).toMatchObject({
    properties: { city: { type: 'string', description: 'a city' } },
    required: ['city'],
  });
});

test.each([
  ['zod', city],
  ['a schema made later', () => jsonSchema(z.toJSONSchema(city, { io: 'input' }) as object, checkCity())],
  [
    'a schema that validates later',
    jsonSchema(Promise.resolve({ type: 'object' as const }), checkCityLater()),
  ],
  ['zod with a check that takes time', city.refine(async () => true)],
])('an invalid input of %s does not reach the tool', async (_, inputSchema) => {
  const execute = vi.fn(() => 'sunny');
  await using given = await hostOf({ weather: tool({ inputSchema: inputSchema as never, execute }) });

  const wrong = await given.answer('weather', { city: ['Oslo', 'Bergen'] });
  const right = await given.answer('weather', { city: 'Oslo' });

  expect(wrong).toMatchObject({ ok: false, worked: true, error: expect.stringContaining('weather') });
  expect(right).toEqual({ ok: true, data: 'sunny' });
  expect(execute).toHaveBeenCalledTimes(1);
});

function checkCity() {
  return {
    validate: (value: unknown) => {
      const result = city.safeParse(value);
      return result.success
        ? { success: true as const, value: result.data }
        : { success: false as const, error: result.error };
    },
  };
}

function checkCityLater() {
  return { validate: async (value: unknown) => checkCity().validate(value) };
}

test('a tool of the AI SDK without a description has an empty one', async () => {
  const [made] = await fromAiSdkTools({ weather: tool({ inputSchema: city, execute: async () => 'rain' }) });

  expect(made?.description).toBe('');
});

test('an error of a tool of the AI SDK is its answer', async () => {
  const execute = (): string => {
    throw new Error('no such city');
  };
  await using given = await hostOf({ weather: tool({ inputSchema: city, execute }) });

  const answer = await given.answer('weather', { city: 'Oz' });

  expect(answer).toEqual({ ok: false, error: 'no such city' });
});

test('an interrupted call aborts the tool of the AI SDK', async () => {
  const started = Promise.withResolvers<void>();
  const execute = (_: unknown, { abortSignal }: { abortSignal?: AbortSignal }) => {
    started.resolve();
    return new Promise<string>((_resolve, reject) =>
      abortSignal?.addEventListener('abort', () => reject(abortSignal.reason)),
    );
  };
  await using given = await hostOf({ weather: tool({ inputSchema: city, execute }) });
  const controller = new AbortController();

  const answer = given.answer('weather', { city: 'Oslo' }, controller.signal);
  await started.promise;
  controller.abort(new Error('the person left'));

  expect(await answer).toEqual({
    ok: false,
    error: 'weather was interrupted: the person left',
    worked: true,
  });
});

test('the last value of a tool that yields is its answer', async () => {
  async function* execute() {
    yield 'looking';
    yield 'sunny';
  }
  await using given = await hostOf({ weather: tool({ inputSchema: city, execute }) });

  expect(await given.answer('weather', { city: 'Oslo' })).toEqual({ ok: true, data: 'sunny' });
});

const image = { type: 'file' as const, mediaType: 'image/png' };

test.each([
  ['text', { type: 'text' as const, value: 'sunny' }, { ok: true, data: 'sunny' }],
  ['JSON', { type: 'json' as const, value: { sunny: true } }, { ok: true, data: { sunny: true } }],
  [
    'an error',
    { type: 'error-text' as const, value: 'no city' },
    { ok: false, error: 'no city', worked: true },
  ],
  [
    'an error in JSON',
    { type: 'error-json' as const, value: { code: 404 } },
    { ok: false, error: '{"code":404}', worked: true },
  ],
  [
    'a denial',
    { type: 'execution-denied' as const, reason: 'not now' },
    { ok: false, error: 'not now', worked: true, denied: true },
  ],
  [
    'a denial without a reason',
    { type: 'execution-denied' as const },
    { ok: false, error: 'The call was denied.', worked: true, denied: true },
  ],
  [
    'an image beside text',
    {
      type: 'content' as const,
      value: [
        { type: 'text' as const, text: 'The map:' },
        { ...image, data: { type: 'data' as const, data: new Uint8Array(12) } },
        {
          ...image,
          filename: 'a.png',
          data: { type: 'url' as const, url: new URL('https://a.example/a.png') },
        },
      ],
    },
    {
      ok: true,
      data: 'The map:\n[file, image/png, 12 bytes; its content is not shown]\n[file, a.png, image/png, https://a.example/a.png]',
    },
  ],
])('a model output with %s is an answer', async (_, output, answer) => {
  const weather = tool({ inputSchema: city, execute: () => 1, toModelOutput: () => output as never });
  await using given = await hostOf({ weather });

  expect(await given.answer('weather', { city: 'Oslo' })).toEqual(answer);
});

test('bytes in an output are described in words, and no output is null', async () => {
  await using given = await hostOf({
    chart: tool({ inputSchema: z.object({}), execute: () => ({ png: Buffer.from('1234'), size: 2 }) }),
    beep: dynamicTool({ inputSchema: z.object({}), execute: async () => undefined }),
  });

  expect(await given.answer('chart', {})).toEqual({
    ok: true,
    data: { png: '[bytes, 4 bytes; its content is not shown]', size: 2 },
  });
  expect(await given.answer('beep', {})).toEqual({ ok: true, data: null });
});

test('a name of the AI SDK becomes one that models take', async () => {
  const look = tool({ inputSchema: z.object({}), execute: () => 1 });

  const tools = await fromAiSdkTools(
    { 'files/read all': look, 'web:fetch.page': look },
    { prefix: 'my-apps' },
  );

  expect(tools.map(({ name }) => name)).toEqual(['my-apps__files__read_all', 'my-apps__web__fetch_page']);
});

test('the policy judges a tool of the AI SDK by its declared permission', async () => {
  const execute = vi.fn(() => 'done');
  const inputSchema = z.object({});
  const tools = await fromAiSdkTools(
    { look: tool({ inputSchema, execute }), deploy: tool({ inputSchema, execute }) },
    { permission: (name) => (name === 'deploy' ? 'start' : 'other'), prefix: 'cloud' },
  );
  await using given = arrange();
  const host = given.host({ tools, policy: { mode: 'default' } });

  const looked = await host.call({ name: 'cloud__look', input: {} });
  const deployed = await host.call({ name: 'cloud__deploy', input: {} });

  expect(looked.answer.ok).toBe(true);
  expect(deployed.answer).toMatchObject({ ok: false, denied: true });
  expect(await host.decide({ name: 'cloud__deploy', input: {} })).toMatchObject({ type: 'ask' });
  expect(execute).toHaveBeenCalledTimes(1);
});

test('a tool of the AI SDK that needs approval needs the permission start', async () => {
  const ask = tool({ inputSchema: z.object({}), execute: () => 1, needsApproval: true });

  const [byDefault] = await fromAiSdkTools({ ask });
  const [declared] = await fromAiSdkTools({ ask }, { permission: 'other' });

  expect(byDefault?.permissions).toEqual(['start']);
  expect(declared?.permissions).toEqual(['other']);
});

test('a tool of the AI SDK gets its context', async () => {
  const weather = tool({
    description: ({ context }: { context: { key: string } }) => `asks with ${context.key}`,
    contextSchema: z.object({ key: z.string() }),
    inputSchema: z.object({}),
    execute: (_: unknown, { context }) => context.key,
  });
  await using given = await hostOf({ weather }, { contexts: { weather: { key: 'k1' } } });

  expect(await given.answer('weather', {})).toEqual({ ok: true, data: 'k1' });
  expect(given.host.tools[0]?.description).toBe('asks with k1');
});

test.each([
  ['a tool without execute', { search: { inputSchema: city } }, {}, '"search" has no "execute"'],
  [
    'a schema without JSON Schema',
    { search: { inputSchema: { '~standard': { validate: () => ({ value: 1 }) } }, execute: () => 1 } },
    {},
    'the input of "search" offers no JSON Schema',
  ],
  [
    'two tools with one name',
    { 'a.b': { inputSchema: city, execute: () => 1 }, a_b: { inputSchema: city, execute: () => 1 } },
    {},
    'two tools are called "a_b"',
  ],
  ['an unknown permission', {}, { permission: 'strat' as never }, '"permission" is "strat"'],
])('fromAiSdkTools refuses %s', async (_, tools: Tools, options, message) => {
  await expect(fromAiSdkTools(tools, options)).rejects.toMatchObject({
    code: 'invalid-option',
    message: expect.stringContaining(message),
  });
});

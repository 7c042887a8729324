import {
  experimental_createSteering,
  generateText,
  isStepCount,
  type ModelMessage,
  simulateReadableStream,
  streamText,
  type ToolSet,
} from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createAiSdkRun, toAiSdkTools } from '../../src/adapters/ai-sdk.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { toInputSchema } from '../../src/tools/input-schema.ts';
import { runCommand } from '../../src/tools/sets/process/run-command.ts';
import { arrange, turns } from '../tools/arrange.ts';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that makes one call and then says goodbye. */
function modelThatCalls(toolName: string, input: string) {
  return new MockLanguageModelV4({
    doGenerate: [
      {
        content: [{ type: 'tool-call', toolCallId: 'call_1', toolName, input }],
        finishReason: { unified: 'tool-calls', raw: undefined },
        usage,
        warnings: [],
      },
      {
        content: [{ type: 'text', text: 'Done.' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage,
        warnings: [],
      },
    ],
  });
}

const printsHello = {
  script: (run: import('../../src/testing/index.ts').ScriptedRun) => {
    run.comeUp();
    run.print('hello\n');
    run.exit();
  },
};

test('the AI SDK runs a command', async () => {
  await using given = arrange(printsHello);
  const tools: ToolSet = toAiSdkTools(given.host());
  const model = modelThatCalls('run_command', '{"command":"echo hello"}');

  const { text, steps } = await generateText({ model, tools, prompt: 'Greet.', stopWhen: isStepCount(3) });

  expect(text).toBe('Done.');
  expect(steps[0]?.toolResults[0]?.output).toMatchObject({
    ok: true,
    data: { exit_code: 0, output: 'hello\n' },
  });
});

test('the AI SDK tells its model of our schema', async () => {
  await using given = arrange(printsHello);
  const tools: ToolSet = toAiSdkTools(given.host({ tools: [runCommand] }));
  const model = modelThatCalls('run_command', '{"command":"echo hello"}');

  await generateText({ model, tools, prompt: 'Greet.' });

  expect(model.doGenerateCalls[0]?.tools).toMatchObject([
    { type: 'function', name: 'run_command', inputSchema: toInputSchema(runCommand) },
  ]);
});

test('wrong input is answered in our words', async () => {
  await using given = arrange();
  const tools: ToolSet = toAiSdkTools(given.host());
  const model = modelThatCalls('run_command', '{"command":""}');

  const { steps } = await generateText({ model, tools, prompt: 'Greet.' });

  expect(steps[0]?.toolResults[0]?.output).toEqual({ ok: false, error: 'command is required' });
});

test('the abort signal of a loop ends the wait, not the process', async () => {
  await using given = arrange();
  const { id } = given.start('serve');
  const abort = new AbortController();
  const tools = toAiSdkTools(given.host());
  const pending = tools['wait_for']?.execute({ process_id: id }, { abortSignal: abort.signal });

  abort.abort();

  expect(await pending).toMatchObject({ ok: true, data: { result: 'interrupted', status: 'backgrounded' } });
});

test('output shown to a loop counts as read', async () => {
  await using given = arrange();
  const { id } = given.start('serve');
  given.backend.lastRun.print('1\n');
  const tools = toAiSdkTools(given.host());
  const read = () => tools['get_process_output']?.execute({ process_id: id, since_last_read: true });

  const [first, second] = [await read(), await read()];

  expect(first).toMatchObject({ data: { output: '1\n' } });
  expect(second).toMatchObject({ data: { output: '' } });
});

test('output given to an aborted loop is not read', async () => {
  await using given = arrange();
  const abort = new AbortController();
  const told: string[] = [];
  const look = defineTool({
    name: 'look',
    description: 'Looks, and is aborted when asked for the last time.',
    input: z.strictObject({ word: z.string() }),
    execute: async ({ word }) => {
      if (word === 'last') abort.abort();
      return { ok: true, data: word, onRecorded: () => void told.push(word) };
    },
  });
  const tools = toAiSdkTools(given.host({ tools: [look] }));

  for (const word of ['first', 'last']) await tools['look']?.execute({ word }, { abortSignal: abort.signal });

  expect(told).toEqual(['first']);
});

test('no notice is promised to a loop that gets none', async () => {
  await using given = arrange();
  const tools = toAiSdkTools(given.host({ notices: 'none' }));

  const answer = await tools['start_process']?.execute({ command: 'serve' });
  const watch = await tools['watch_process']?.execute({ process_id: given.supervisor.list()[0]?.id });

  expect(answer).toMatchObject({ data: { message: expect.stringContaining('You get no notice') } });
  expect(watch).toMatchObject({ data: { message: expect.stringContaining('You get no notice') } });
});

describe('a run', () => {
  test('brings a background end into the next step, once', async () => {
    await using given = arrange();
    const host = given.host();
    const model = modelOf([
      call('start_process', { command: 'make', label: 'build' }),
      () => {
        given.backend.lastRun.exit({ code: 3 });
        return call('list_processes', {});
      },
      call('list_processes', {}),
      'Done.',
    ]);

    const run = createAiSdkRun(host, experimental_createSteering());
    const { text } = await generateText({ model, prompt: 'Build.', stopWhen: isStepCount(9), ...run });

    expect(text).toBe('Done.');
    expect(noticesOf(model)).toEqual([0, 0, 1, 1]);
    expect(host.take()).toBeNull();
  });

  test('continues where a process ends during its last step', async () => {
    await using given = arrange();
    const model = modelOf([
      call('start_process', { command: 'make' }),
      async () => {
        given.backend.lastRun.exit();
        await turns();
        return 'It runs.';
      },
      'It is built.',
    ]);

    const run = createAiSdkRun(given.host(), experimental_createSteering());
    const { text } = await generateText({ model, prompt: 'Build.', stopWhen: isStepCount(9), ...run });

    expect(text).toBe('It is built.');
    expect(noticesOf(model)).toEqual([0, 0, 1]);
  });

  test('leaves what it could not deliver to the next one', async () => {
    await using given = arrange();
    const host = given.host();
    const first = modelOf([call('start_process', { command: 'make' })]);
    const second = modelOf(['It is built.']);

    const stopped = createAiSdkRun(host, experimental_createSteering());
    await generateText({ model: first, prompt: 'Build.', stopWhen: isStepCount(1), ...stopped });
    given.backend.lastRun.exit();
    await turns();
    const resumed = createAiSdkRun(host, experimental_createSteering());
    await generateText({ model: second, prompt: 'And?', ...resumed });

    expect([...noticesOf(first), ...noticesOf(second)]).toEqual([0, 1]);
    expect(host.take()).toBeNull();
  });

  test('tells no end that an answer has shown', async () => {
    await using given = arrange({ script: printsHello.script });
    const model = modelOf([call('run_command', { command: 'echo hello' }), 'Done.']);

    const run = createAiSdkRun(given.host(), experimental_createSteering());
    const stream = streamText({ model, prompt: 'Greet.', stopWhen: isStepCount(9), ...run });

    expect(await stream.text).toBe('Done.');
    expect(noticesOf(model)).toEqual([0, 0]);
  });

  test('asks for approval, and makes the approved call', async () => {
    await using given = arrange({ script: printsHello.script });
    const host = given.host({ policy: { mode: 'default' } });
    const begin = () => createAiSdkRun(host, experimental_createSteering());
    const asking = modelOf([call('run_command', { command: 'make' })]);
    const messages: ModelMessage[] = [{ role: 'user', content: 'Build.' }];

    const asked = await generateText({ model: asking, messages, stopWhen: isStepCount(9), ...begin() });
    const request = asked.content.find((part) => part.type === 'tool-approval-request');
    messages.push(...asked.response.messages, {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId: request?.approvalId ?? '', approved: true }],
    });
    const runsBefore = given.backend.runs.length;
    const model = modelOf(['Built.']);
    const { text } = await generateText({ model, messages, stopWhen: isStepCount(9), ...begin() });

    expect(runsBefore).toBe(0);
    expect(text).toBe('Built.');
    expect(given.backend.runs).toHaveLength(1);
    expect(JSON.stringify(model.doGenerateCalls[0]?.prompt)).toContain('hello');
  });

  test('denies what the policy denies', async () => {
    await using given = arrange();
    const host = given.host({ policy: { mode: 'auto' } });
    const model = modelOf([call('run_command', { command: 'rm -rf /' }), 'I may not.']);

    const run = createAiSdkRun(host, experimental_createSteering());
    const { text } = await generateText({ model, prompt: 'Clean.', stopWhen: isStepCount(9), ...run });

    expect(text).toBe('I may not.');
    expect(given.backend.runs).toEqual([]);
    expect(JSON.stringify(model.doGenerateCalls[1]?.prompt)).toContain('Denied');
  });
});

type Reply = string | { readonly toolName: string; readonly input: string };

function call(toolName: string, input: object): Reply {
  return { toolName, input: JSON.stringify(input) };
}

/** A model that gives these replies in order. */
function modelOf(replies: readonly (Reply | (() => Reply | Promise<Reply>))[]) {
  let step = 0;
  const next = async () => {
    const given = replies[step++];
    const reply = typeof given === 'function' ? await given() : given;
    if (reply === undefined) throw new Error(`There is no reply ${step}.`);
    const isText = typeof reply === 'string';
    const part = isText
      ? { type: 'text' as const, text: reply }
      : { type: 'tool-call' as const, toolCallId: `call_${step}`, ...reply };
    const unified = isText ? ('stop' as const) : ('tool-calls' as const);
    return { part, finishReason: { unified, raw: undefined } };
  };
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const { part, finishReason } = await next();
      return { content: [part], finishReason, usage, warnings: [] };
    },
    doStream: async () => {
      const { part, finishReason } = await next();
      const parts =
        part.type === 'text'
          ? [
              { type: 'text-start' as const, id: 't' },
              { type: 'text-delta' as const, id: 't', delta: part.text },
              { type: 'text-end' as const, id: 't' },
            ]
          : [part];
      const end = { type: 'finish' as const, finishReason, usage };
      return { stream: simulateReadableStream({ chunks: [...parts, end] }) };
    },
  });
}

/** The number of notices in each request. */
function noticesOf(model: MockLanguageModelV4): readonly number[] {
  const calls = [...model.doGenerateCalls, ...model.doStreamCalls];
  return calls.map(({ prompt }) => JSON.stringify(prompt).match(/<process_notice/g)?.length ?? 0);
}

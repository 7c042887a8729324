import { generateText, isStepCount, type ToolSet } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { toAiSdkTools } from '../../../src/tools/dialects/ai-sdk-tools.ts';
import { toInputSchema } from '../../../src/tools/input-schema.ts';
import { runCommand } from '../../../src/tools/sets/process/run-command.ts';
import { arrange } from '../arrange.ts';

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
  script: (run: import('../../../src/testing/index.ts').ScriptedRun) => {
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

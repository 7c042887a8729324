import {
  createUIMessageStreamResponse,
  parseJsonEventStream,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from 'ai';
import {
  createConversation,
  createScriptedModel,
  createSupervisor,
  ModelError,
  type ScriptedStep,
} from 'troupe';
import { type AiSdkUiChunk, toUiMessageStream } from 'troupe/ai-sdk';
import { expect, onTestFinished, test } from 'vitest';

function arrange(steps: readonly ScriptedStep[]) {
  const supervisor = createSupervisor({ stateDirectory: false });
  const model = createScriptedModel(steps);
  const conversation = createConversation({ supervisor, model, policy: { mode: 'auto' }, maxSteps: 3 });
  onTestFinished(async () => {
    await conversation.close();
    await supervisor.shutdown();
  });
  return conversation;
}

/** The message that a page shows, as the SDK reads it from the response; errors are thrown. */
async function show(stream: ReadableStream<AiSdkUiChunk>): Promise<UIMessage | undefined> {
  const response = createUIMessageStreamResponse({ stream: stream as ReadableStream<UIMessageChunk> });
  const parsed = parseJsonEventStream({ stream: response.body as never, schema: uiMessageChunkSchema });
  const chunks = parsed.pipeThrough(
    new TransformStream({
      transform: (result, controller) =>
        result.success ? controller.enqueue(result.value) : controller.error(result.error),
    }),
  );
  let shown: UIMessage | undefined;
  for await (const message of readUIMessageStream({ stream: chunks, terminateOnError: true }))
    shown = message;
  return shown;
}

const call = (command: string) => ({ name: 'run_command', arguments: { command } });

test('a page shows the text and the calls of a turn with their answers', async () => {
  const conversation = arrange([
    { text: 'I look.', calls: [call('echo seven'), call('echo no; exit 3')] },
    { text: 'There are seven.' },
  ]);

  const message = await show(toUiMessageStream(conversation, 'How many?'));

  expect(message?.parts).toMatchObject([
    { type: 'step-start' },
    { type: 'text', text: 'I look.', state: 'done' },
    {
      ...{ type: 'dynamic-tool', toolName: 'run_command', state: 'output-available' },
      input: { command: 'echo seven' },
      output: { ok: true, data: { output: 'seven\n' } },
    },
    {
      type: 'dynamic-tool',
      state: 'output-available',
      output: { ok: false, data: { output: 'no\n', exit_code: 3 } },
    },
    { type: 'step-start' },
    { type: 'text', text: 'There are seven.', state: 'done' },
  ]);
});

test('a page shows a notice where it entered the turn', async () => {
  const conversation = arrange([
    { calls: [{ name: 'start_process', arguments: { command: 'sleep 0.2; exit 3', label: 'build' } }] },
    { calls: [call('sleep 1')] },
    { text: 'The build failed.' },
  ]);

  const message = await show(toUiMessageStream(conversation, 'Build.'));

  const types = message?.parts.map(({ type }) => type).filter((type) => type !== 'step-start');
  expect(types).toEqual(['dynamic-tool', 'dynamic-tool', 'data-notice', 'text']);
  const notice = message?.parts.find(({ type }) => type === 'data-notice');
  expect(notice).toMatchObject({ data: { text: expect.stringContaining('label="build" status="failed"') } });
});

test('a turn that ends at its limit of steps is an error for the page', async () => {
  const conversation = arrange([
    { calls: [call('true')] },
    { calls: [call('true')] },
    { calls: [call('true')] },
  ]);

  await expect(show(toUiMessageStream(conversation, 'Go.'))).rejects.toThrow('after 3 steps');
});

test('a page that leaves does not interrupt the turn', async () => {
  const conversation = arrange([{ calls: [call('sleep 0.2; echo built')] }, { text: 'It is built.' }]);
  const reader = toUiMessageStream(conversation, 'Build.').getReader();
  await reader.read();

  await reader.cancel();
  await conversation.idle();

  expect(conversation.transcript.at(-1)?.text).toBe('It is built.');
});

test('text of a model that fails in the middle is taken back from the page', async () => {
  const supervisor = createSupervisor({ stateDirectory: false });
  let attempts = 0;
  const flaky = createConversation({
    supervisor,
    model: {
      name: 'flaky',
      stream: async function* () {
        attempts += 1;
        yield { type: 'text', text: attempts === 1 ? 'Half a sen' : 'A whole sentence.' };
        if (attempts === 1) throw new ModelError({ failure: 'cut', message: 'Cut.' });
      },
    },
    retry: { minBackoff: 1 },
  });
  onTestFinished(async () => {
    await flaky.close();
    await supervisor.shutdown();
  });

  const message = await show(toUiMessageStream(flaky, 'Say something.'));

  expect(message?.parts.filter(({ type }) => type === 'text')).toMatchObject([{ text: 'A whole sentence.' }]);
});

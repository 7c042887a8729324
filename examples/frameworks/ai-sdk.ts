/** A chat on the AI SDK whose processes continue between the runs: `node ai-sdk.ts "Build the project." "Is it done?"`. */
import { createOpenAI } from '@ai-sdk/openai';
import { experimental_createSteering, generateText, isStepCount, type ModelMessage } from 'ai';
import { createSupervisor, createToolHost } from 'troupe';
import { createAiSdkRun } from 'troupe/ai-sdk';

const supervisor = createSupervisor();
const host = createToolHost({ supervisor, owner: 'chat', policy: { mode: 'auto' } });
const model = createOpenAI().chat('gpt-5.1');
const messages: ModelMessage[] = [];

for (const said of process.argv.slice(2)) {
  messages.push({ role: 'user', content: said });
  const run = createAiSdkRun(host, experimental_createSteering());
  const { text, steps } = await generateText({ model, messages, stopWhen: isStepCount(20), ...run });
  // The notices of a step stand before its reply.
  for (const { experimental_steeringMessages: notices = [], response } of steps)
    messages.push(...notices, ...response.messages);
  console.log(text);
}

await host.close();
await supervisor.shutdown();

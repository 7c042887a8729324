/** One situation of a LangChain agent: `node program.ts <situation>`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Command, interrupt, MemorySaver } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { createSupervisor, createToolHost } from 'troupe';
import { createLangChainMiddleware } from 'troupe/langchain';
import { abortRun, die, playSituation, situation, untilDue } from '../support/situations.ts';

const supervisor = createSupervisor();
const policy = { mode: situation === 'approve' ? 'default' : 'dangerous' } as const;
const host = createToolHost({ supervisor, owner: 'chat', policy });
const parts = situation === 'approve' ? { tool, interrupt } : { tool };
const middleware = createLangChainMiddleware(host, parts);
const checkpointer = new MemorySaver();
const file = 'checkpoints.json';
const agent = createAgent({
  model: new ChatOpenAI({ model: 'gpt-5.1', useResponsesApi: false }),
  // The same graph in each situation, so that a checkpoint fits.
  middleware: [
    { name: 'wait', beforeModel: waitForEnd },
    middleware,
    { name: 'die', beforeModel: dieOnNotice },
  ],
  checkpointer,
});
const thread = { configurable: { thread_id: 'chat' } };
const say = async (content: string) => {
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content }] }, thread);
  console.log(messages.at(-1)?.text);
};

async function waitForEnd({ messages }: { messages: unknown[] }): Promise<undefined> {
  if (situation === 'crash' && messages.length > 1) await untilDue(host);
}

/** Saves what was checkpointed and dies, after the notice was added and before the model has seen it. */
async function dieOnNotice({ messages }: { messages: { id?: string }[] }): Promise<undefined> {
  if (situation !== 'crash' || !messages.some(({ id }) => id?.startsWith('troupe:'))) return;
  await new Promise((resolve) => setTimeout(resolve, 500));
  writeFileSync(
    file,
    JSON.stringify({ storage: encode(checkpointer.storage), writes: encode(checkpointer.writes) }),
  );
  die();
}

function encode(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, encode(each)]));
}

function decode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decode);
  if (typeof value !== 'object' || value === null) return value;
  if ('bytes' in value) return Uint8Array.from(Buffer.from(String(value.bytes), 'base64'));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, decode(each)]));
}

await playSituation(host, {
  say,
  own: {
    crash: () => say('Build.'),
    resume: async () => {
      Object.assign(checkpointer, decode(JSON.parse(readFileSync(file, 'utf8'))));
      const { messages } = await agent.invoke(null, thread);
      console.log(messages.at(-1)?.text);
      await say('And?');
    },
    approve: async () => {
      const asked = await agent.invoke({ messages: [{ role: 'user', content: 'Build.' }] }, thread);
      const [question] = (asked as unknown as { __interrupt__: { value: { question: string } }[] })
        .__interrupt__;
      console.log(question?.value.question.replaceAll('\n', ' '));
      console.log(`before: ${existsSync('built.txt')}`);
      const { messages } = await agent.invoke(new Command({ resume: true }), thread);
      console.log(messages.at(-1)?.text);
      console.log(`after: ${existsSync('built.txt')}`);
    },
    abort: () =>
      abortRun(host, ({ signal }) =>
        agent.invoke({ messages: [{ role: 'user', content: 'Wait.' }] }, { ...thread, signal }),
      ),
  },
});

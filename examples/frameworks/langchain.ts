/** A chat on LangChain whose processes continue between the turns: `node langchain.ts "Build the project." "Is it done?"`. */
import { MemorySaver } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { createSupervisor, createToolHost } from 'troupe';
import { createLangChainMiddleware } from 'troupe/langchain';

const supervisor = createSupervisor();
const host = createToolHost({ supervisor, owner: 'chat', policy: { mode: 'auto' } });
const agent = createAgent({
  model: new ChatOpenAI({ model: 'gpt-5.1', useResponsesApi: false }),
  middleware: [createLangChainMiddleware(host, { tool })],
  checkpointer: new MemorySaver(),
});

for (const said of process.argv.slice(2)) {
  const thread = { configurable: { thread_id: 'chat' } };
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: said }] }, thread);
  console.log(messages.at(-1)?.text);
}

await host.close();
await supervisor.shutdown();

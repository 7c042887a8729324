/** A chat on Mastra whose processes continue between the turns: `node mastra.ts "Build the project." "Is it done?"`. */
import { Agent } from '@mastra/core/agent';
import { MockMemory } from '@mastra/core/memory';
import { createTool } from '@mastra/core/tools';
import { createSupervisor, createToolHost } from 'troupe';
import { createMastraParts } from 'troupe/mastra';

const supervisor = createSupervisor();
const host = createToolHost({ supervisor, owner: 'chat', policy: { mode: 'auto' } });
const agent = new Agent({
  id: 'builder',
  name: 'Builder',
  instructions: 'You build projects.',
  model: { id: 'openai/gpt-5.1', url: process.env['OPENAI_BASE_URL'] ?? 'https://api.openai.com/v1' },
  // A memory that ends with the program; use one of @mastra/memory to keep it.
  memory: new MockMemory(),
  ...createMastraParts(host, { createTool }),
});

for (const said of process.argv.slice(2)) {
  const { text } = await agent.generate(said, { maxSteps: 20, memory: { thread: 'chat', resource: 'me' } });
  console.log(text);
}

await host.close();
await supervisor.shutdown();

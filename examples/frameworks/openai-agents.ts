/** A chat on the OpenAI Agents SDK whose processes continue between the runs: `node openai-agents.ts "Build the project." "Is it done?"`. */
import { Agent, MemorySession, Runner, tool } from '@openai/agents';
import { createSupervisor, createToolHost } from 'troupe';
import { connectOpenAiAgents } from 'troupe/openai-agents';

const supervisor = createSupervisor();
const host = createToolHost({ supervisor, owner: 'chat', policy: { mode: 'auto' } });
const troupe = connectOpenAiAgents(host, { tool, runner: () => new Runner({ tracingDisabled: true }) });
const agent = new Agent({ name: 'Builder', model: 'gpt-5.1', tools: troupe.tools });
// A session that ends with the program; use one of your own to keep it.
const session = new MemorySession();

for (const said of process.argv.slice(2)) {
  const { finalOutput } = await troupe.run(agent, said, { session, maxTurns: 20 });
  console.log(finalOutput);
}

await host.close();
await supervisor.shutdown();

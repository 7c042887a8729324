/** A chat on the Anthropic SDK whose processes continue between the runs: `node anthropic.ts "Build the project." "Is it done?"`. */
import Anthropic from '@anthropic-ai/sdk';
import { createSupervisor, createToolHost } from 'troupe';
import { toRunnableTools, withNotices } from 'troupe/anthropic';

const supervisor = createSupervisor();
const host = createToolHost({ supervisor, owner: 'chat', policy: { mode: 'auto' } });
const client = new Anthropic();
const tools = toRunnableTools(host);
const fixed = {
  model: 'claude-sonnet-5-5',
  max_tokens: 4_096,
  max_iterations: 20,
  thread: false,
  tools,
} as const;
let messages: Anthropic.Beta.BetaMessageParam[] = [];

for (const said of process.argv.slice(2)) {
  messages.push({ role: 'user', content: said });
  const runner = client.beta.messages.toolRunner({ ...fixed, messages });
  for await (const { content, stop_reason: reason } of withNotices(host, runner))
    for (const block of content) if (reason === 'end_turn' && block.type === 'text') console.log(block.text);
  messages = [...runner.params.messages];
}

await host.close();
await supervisor.shutdown();

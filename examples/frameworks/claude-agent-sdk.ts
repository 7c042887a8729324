/** A chat on the Claude Agent SDK whose processes continue between the queries: `node claude-agent-sdk.ts "Build the project." "Is it done?"`. */
import { query } from '@anthropic-ai/claude-agent-sdk';
import { createSupervisor, createToolHost } from 'troupe';
import { createClaudeQueryParts } from 'troupe/claude-agent-sdk';

const supervisor = createSupervisor();
const host = createToolHost({ supervisor, owner: 'chat', policy: { mode: 'auto' } });
let resume: string | undefined;

for (const prompt of process.argv.slice(2)) {
  const parts = createClaudeQueryParts(host);
  // Without the shell of the SDK, every command is supervised.
  const options = {
    tools: [],
    ...parts,
    ...(resume !== undefined && { resume }),
  };
  for await (const message of query({ prompt, options })) {
    resume = message.session_id;
    if (message.type === 'result')
      console.log(message.subtype === 'success' ? message.result : message.subtype);
  }
}

await host.close();
await supervisor.shutdown();

/** One situation of a query: `node program.ts <situation>`. */
import { existsSync } from 'node:fs';
import { type Options, query } from '@anthropic-ai/claude-agent-sdk';
import { createSupervisor, createToolHost } from 'troupe';
import { createClaudeQueryParts } from 'troupe/claude-agent-sdk';
import { abortRun, die, playSituation, situation } from '../support/situations.ts';

const supervisor = createSupervisor();
const mode = situation === 'approve' || situation === 'deny' ? 'default' : 'dangerous';
const host = createToolHost({ supervisor, owner: 'chat', policy: { mode } });
let resume: string | undefined;

function begin(prompt: string, more: Options = {}) {
  const parts = createClaudeQueryParts(host);
  const session = resume === undefined ? {} : { resume };
  return query({
    prompt,
    options: { tools: [], settingSources: [], ...parts, ...session, ...more },
  });
}

async function say(prompt: string, more: Options = {}): Promise<void> {
  for await (const message of begin(prompt, more)) {
    resume = message.session_id;
    if (message.type === 'result')
      console.log(message.subtype === 'success' ? message.result : message.subtype);
  }
}

async function askPerson(): Promise<void> {
  const canUseTool: NonNullable<Options['canUseTool']> = async (name, input, { decisionReason }) => {
    console.log(name, decisionReason?.includes('built.txt'), existsSync('built.txt'));
    return situation === 'approve'
      ? { behavior: 'allow', updatedInput: input }
      : { behavior: 'deny', message: 'The person said no.' };
  };
  await say('Build.', { canUseTool });
  console.log(existsSync('built.txt'));
}

await playSituation(host, {
  say,
  own: {
    stream: async () => {
      let text = '';
      for await (const message of begin('Build.', { includePartialMessages: true }))
        if (message.type === 'stream_event' && message.event.type === 'content_block_delta')
          text += message.event.delta.type === 'text_delta' ? message.event.delta.text : '';
      console.log(text);
    },
    die: async () => {
      // Dies after the hook has told the notice, and before the model has replied to it.
      const parts = createClaudeQueryParts(host);
      const hooks = parts.hooks.PostToolBatch[0]?.hooks ?? [];
      const [tell] = hooks;
      hooks[0] = async (...given) => {
        const output = await tell?.(...given);
        if (output?.hookSpecificOutput !== undefined) die();
        return {};
      };
      await say('Build.', parts);
    },
    approve: askPerson,
    deny: askPerson,
    abort: () => abortRun(host, (abortController) => say('Wait.', { abortController })),
  },
});

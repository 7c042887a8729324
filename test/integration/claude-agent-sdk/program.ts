/** One situation of a query: `node program.ts <between | die | report | peek | approve | deny | abort>`. */
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { type Options, query } from '@anthropic-ai/claude-agent-sdk';
import { createSupervisor, createToolHost } from 'troupe';
import { createClaudeQueryParts } from 'troupe/claude-agent-sdk';

const situation = process.argv[2];
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

const untilDue = () => new Promise<void>((resolve) => void host.due$.subscribe(() => resolve()));

switch (situation) {
  case 'between':
    await say('Build.');
    await untilDue();
    await say('And?');
    break;
  case 'stream': {
    let text = '';
    for await (const message of begin('Build.', { includePartialMessages: true }))
      if (message.type === 'stream_event' && message.event.type === 'content_block_delta')
        text += message.event.delta.type === 'text_delta' ? message.event.delta.text : '';
    console.log(text);
    break;
  }
  case 'report':
    await say('Build.');
    break;
  case 'die': {
    // Dies after the hook has told the notice, and before the model has replied to it.
    const parts = createClaudeQueryParts(host);
    const hooks = parts.hooks.PostToolBatch[0]?.hooks ?? [];
    const [tell] = hooks;
    hooks[0] = async (...given) => {
      const output = await tell?.(...given);
      if (output?.hookSpecificOutput !== undefined) process.kill(process.pid, 'SIGKILL');
      return {};
    };
    await say('Build.', parts);
    break;
  }
  case 'peek':
    console.log(host.take());
    break;
  case 'approve':
  case 'deny': {
    const canUseTool: NonNullable<Options['canUseTool']> = async (name, input, { decisionReason }) => {
      console.log(name, decisionReason?.includes('built.txt'), existsSync('built.txt'));
      return situation === 'approve'
        ? { behavior: 'allow', updatedInput: input }
        : { behavior: 'deny', message: 'The person said no.' };
    };
    await say('Build.', { canUseTool });
    console.log(existsSync('built.txt'));
    break;
  }
  case 'abort': {
    const abortController = new AbortController();
    const running = say('Wait.', { abortController }).catch((error) => error.name);
    while (supervisor.list({ live: true }).length === 0) await setTimeout(20);
    abortController.abort();
    console.log(await running);
    const isBackgrounded = () => supervisor.list().every(({ status }) => status === 'backgrounded');
    while (!isBackgrounded()) await setTimeout(20);
    console.log(supervisor.list()[0]?.status);
    break;
  }
}

await host.close();
await supervisor.shutdown();

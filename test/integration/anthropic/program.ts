/** One situation of a tool runner: `node program.ts <situation>`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import Anthropic from '@anthropic-ai/sdk';
import { createSupervisor, createToolHost } from 'troupe';
import { type AnthropicRunnableTool, toRunnableTools, withNotices } from 'troupe/anthropic';
import { abortRun, die, playSituation, situation, untilDue } from '../support/situations.ts';

const supervisor = createSupervisor();
const host = createToolHost({
  supervisor,
  owner: 'chat',
  policy: { mode: situation === 'ask' ? 'default' : 'dangerous' },
  ask: async ({ question }) => {
    console.log(`asked: ${question.includes('built.txt')}, before: ${existsSync('built.txt')}`);
    return true;
  },
});
const client = new Anthropic({ maxRetries: 0 });
/** A tool that starts no process. */
const wait: AnthropicRunnableTool = {
  ...{ type: 'custom', name: 'wait', description: 'Waits for a notice.', input_schema: { type: 'object' } },
  parse: (input: unknown) => input,
  run: () => untilDue(host).then(() => 'ok'),
};
const tools = [...toRunnableTools(host), wait];
const fixed = { model: 'claude-sonnet-5-5', max_tokens: 500, tools };
let messages: Anthropic.Beta.BetaMessageParam[] = [];

function begin(said: string, signal?: AbortSignal) {
  messages.push({ role: 'user', content: said });
  return client.beta.messages.toolRunner({ ...fixed, thread: false, messages }, { signal });
}

async function say(said: string): Promise<void> {
  const runner = begin(said);
  for await (const { content } of withNotices(host, runner)) print(content);
  messages = [...runner.params.messages];
}

function print(content: readonly Anthropic.Beta.BetaContentBlock[]): void {
  for (const block of content) if (block.type === 'text') console.log(block.text);
}

await playSituation(host, {
  say,
  own: {
    stream: async () => {
      messages.push({ role: 'user', content: 'Build.' });
      const runner = client.beta.messages.toolRunner({
        ...fixed,
        ...{ thread: false, messages, stream: true },
      });
      for await (const stream of withNotices(host, runner))
        for await (const event of stream)
          if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
            process.stdout.write(event.delta.text);
      console.log();
    },
    break: async () => {
      const runner = begin('Build.');
      for await (const { content } of withNotices(host, runner)) {
        if (JSON.stringify(runner.params.messages).includes('<process_notice')) {
          print(content);
          break;
        }
      }
      console.log(host.take());
    },
    ask: async () => {
      await say('Build.');
      console.log(`after: ${existsSync('built.txt')}`);
    },
    die: async () => {
      // The server replies to a request with a notice only after this program has died.
      void (async () => {
        await untilDue(host);
        const isTold = () => JSON.stringify(runner.params.messages).includes('<process_notice');
        while (!isTold()) await setTimeout(5);
        die();
      })();
      const runner = begin('Build.');
      for await (const _ of withNotices(host, runner));
    },
    'save-and-die': async () => {
      const runner = begin('Build.');
      for await (const _ of withNotices(host, runner)) {
        const saved = JSON.stringify(runner.params.messages);
        if (!saved.includes('<process_notice')) continue;
        writeFileSync('messages.json', saved);
        die();
      }
    },
    resume: async () => {
      messages = JSON.parse(readFileSync('messages.json', 'utf8'));
      await say('And?');
    },
    abort: () => abortRun(host, ({ signal }) => Array.fromAsync(withNotices(host, begin('Wait.', signal)))),
  },
});

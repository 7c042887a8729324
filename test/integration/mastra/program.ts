/** One situation of a Mastra agent: `node program.ts <situation>`. */
import { existsSync } from 'node:fs';
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { MockMemory } from '@mastra/core/memory';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { createSupervisor, createToolHost } from 'troupe';
import { createMastraParts } from 'troupe/mastra';
import { abortRun, die, playSituation, situation, untilDue } from '../support/situations.ts';

const supervisor = createSupervisor();
const policy = { mode: situation === 'approve' ? 'default' : 'dangerous' } as const;
const host = createToolHost({ supervisor, owner: 'chat', policy });
const parts = createMastraParts(host, { createTool, suspends: situation === 'approve' });
const waitAndDie = {
  id: 'wait-and-die',
  processInputStep: async ({ messages }: { messages: { id: string }[] }) => {
    if (messages.some(({ id }) => id.startsWith('troupe:'))) die();
    return undefined;
  },
};
const wait = {
  id: 'wait',
  processInputStep: async ({ stepNumber }: { stepNumber: number }) => {
    if (stepNumber > 0) await untilDue(host);
    return undefined;
  },
};
const dying = [wait, ...parts.inputProcessors, waitAndDie];
const agent = new Agent({
  id: 'builder',
  name: 'Builder',
  instructions: 'You build projects.',
  model: { id: 'openai/gpt-5.1', url: process.env['OPENAI_BASE_URL'] ?? 'https://api.openai.com/v1' },
  memory: new MockMemory(),
  ...parts,
  ...(situation === 'die' && { inputProcessors: dying }),
});
const mastra = new Mastra({ agents: { builder: agent }, storage: new InMemoryStore(), logger: false });
const options = { maxSteps: 20, memory: { thread: 'chat', resource: 'me' } };
const say = async (said: string) => {
  const result = await mastra.getAgent('builder').generate(said, options);
  console.log(result.text);
  return result;
};

await playSituation(host, {
  say,
  own: {
    die: () => say('Build.'),
    approve: async () => {
      const asked = await mastra.getAgent('builder').generate('Build.', options);
      console.log(`${asked.finishReason} before: ${existsSync('built.txt')}`);
      const { text } = await mastra
        .getAgent('builder')
        .resumeGenerate({ approved: true }, { ...options, runId: asked.runId ?? '' });
      console.log(`${text} after: ${existsSync('built.txt')}`);
    },
    abort: () =>
      abortRun(host, ({ signal }) =>
        mastra.getAgent('builder').generate('Wait.', { ...options, abortSignal: signal }),
      ),
  },
});
process.exit(0);

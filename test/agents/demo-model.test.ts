import { expect, test } from 'vitest';
import { createAgent } from '../../src/agents/create-agent.ts';
import { createDemoModel } from '../../src/agents/demo-model.ts';
import type { AgentDefinition } from '../../src/config/agent-file-schema.ts';
import { waitUntil } from '../support/os.ts';
import { openProject } from './project.ts';

async function talk(definition: Partial<AgentDefinition> = {}) {
  const project = openProject();
  const agent = await createAgent({
    definition: {
      name: 'demo',
      model: { provider: 'scripted' },
      policy: { mode: 'dangerous' },
      ...definition,
    },
    directory: project.directory,
    model: createDemoModel(),
    depth: 0,
  });
  return {
    ...agent,
    write: project.write,
    said: () =>
      agent.conversation.transcript.flatMap((each) => (each.role === 'assistant' ? [each.text] : [])),
    async [Symbol.asyncDispose]() {
      await agent.close();
      project[Symbol.dispose]();
    },
  };
}

test('the demo model says what it is and what it can do', async () => {
  await using agent = await talk();

  const outcome = await agent.conversation.say('Hello! Who are you?');

  expect(outcome).toMatchObject({
    type: 'answered',
    text: expect.stringMatching(/a small script.*OPENAI_API_KEY/s),
  });
});

test('the demo model runs a command and shows the output', async () => {
  await using agent = await talk();

  const outcome = await agent.conversation.say('run echo hello; exit 3');

  expect(outcome).toMatchObject({ type: 'answered', text: expect.stringContaining('hello') });
});

test('several lines are calls of one step', async () => {
  await using agent = await talk();

  await agent.conversation.say('run echo one\nplease\nrun echo two');

  const [first] = agent.conversation.transcript.flatMap((each) => (each.role === 'assistant' ? [each] : []));
  expect(first?.toolCalls.map(({ name }) => name)).toEqual(['run_command', 'run_command']);
  expect(agent.said().at(-1)).toMatch(/one[\s\S]*two/);
});

test('a promoted command is reported at its promotion and at its end', async () => {
  await using agent = await talk({ supervisor: { default_timeout: '100ms' } });

  await agent.conversation.say('run until [ -e go ]; do sleep 0.1; done; echo done; exit 4');
  const promised = agent.said().at(-1);
  agent.write('go', '');
  await waitUntil(() => agent.said().length >= 3);

  expect(promised).toContain('It continues in the background as tool_');
  expect(agent.said().at(-1)).toMatch(/tool_\w+ failed after .*exited with code 4/);
});

test('the demo model starts, lists and kills', async () => {
  await using agent = await talk();

  await agent.conversation.say('start sleep 600');
  const id = agent.supervisor.list({ live: true })[0]?.id ?? 'none';
  await agent.conversation.say('list');
  const listed = agent.said().at(-1);
  await agent.conversation.say(`kill ${id}`);

  expect(listed).toContain(`${id}  backgrounded  sleep 600`);
  expect(agent.supervisor.list({ live: true })).toEqual([]);
});

test('the demo model says when it lacks a tool', async () => {
  await using agent = await talk({ tools: { deny: ['run_command'] } });

  const outcome = await agent.conversation.say('run echo hello');

  expect(outcome).toMatchObject({
    text: expect.stringContaining('I have no tool run_command here. My tools: start_process, '),
  });
});

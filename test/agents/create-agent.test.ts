import { expect, test } from 'vitest';
import type { AgentOptions } from '../../src/agents/agent.ts';
import { createAgent } from '../../src/agents/create-agent.ts';
import type { AgentDefinition } from '../../src/config/agent-file-schema.ts';
import { createScriptedModel } from '../../src/models/scripted-model.ts';
import { carriers, waitUntil } from '../support/os.ts';
import { openProject } from './project.ts';

const definition: AgentDefinition = {
  name: 'lead',
  model: { provider: 'scripted' },
  policy: { mode: 'dangerous' },
};

function create(directory: string, options: Partial<AgentOptions> = {}) {
  return createAgent({
    definition,
    directory,
    model: createScriptedModel([]),
    depth: 0,
    host: { stateDirectory: false },
    ...options,
  });
}

test.each([
  [
    'a delegate that is not there',
    { definition: { ...definition, delegates: ['codr'] } },
    'unknown-agent',
    'Agent "codr" not found. Agents: broken, coder. Did you mean "coder"?',
  ],
  [
    'a delegate whose file is wrong',
    { definition: { ...definition, delegates: ['broken'] } },
    'invalid-agent-file',
    'agents/broken.yaml:2:',
  ],
  [
    'a prohibition of a tool that is not there',
    { definition: { ...definition, tools: { deny: ['run_comand'] } } },
    'invalid-agent-file',
    'has no tool "run_comand", which its "tools.deny" names. Did you mean "run_command"?',
  ],
  ['a depth beyond the limit', { depth: 5 }, 'delegation-depth', 'Maximum delegation depth (5) reached'],
  [
    'a depth beyond a limit of its own',
    { depth: 2, definition: { ...definition, delegation: { max_depth: 2 } } },
    'delegation-depth',
    '(2) reached',
  ],
  [
    'a depth beyond the limit above',
    { depth: 3, maxDepth: 3, definition: { ...definition, delegation: { max_depth: 9 } } },
    'delegation-depth',
    '(3) reached',
  ],
  [
    'a definition with a mistake',
    { definition: { ...definition, limits: { max_steps: 0 } } },
    'invalid-option',
    'definition: "limits.max_steps" is 0; expected at least 1.',
  ],
  [
    'a depth beyond the limit around it',
    { env: { TROUPE_DEPTH: '2', TROUPE_MAX_DEPTH: '2' } },
    'delegation-depth',
    '(2) reached',
  ],
  [
    'a garbled depth around it',
    { env: { TROUPE_DEPTH: 'deep' } },
    'invalid-option',
    'createAgent: TROUPE_DEPTH is "deep"; expected a whole number from 0.',
  ],
  ['a depth that is none', { depth: -1 }, 'invalid-option', 'createAgent: "depth" is -1; expected'],
  [
    'restrictions that cannot be read',
    { env: { TROUPE_POLICY: '[{' } },
    'invalid-option',
    'The text of a policy cannot be read',
  ],
])('%s is refused', async (_, options, code, message) => {
  using project = openProject({ coder: 'model: scripted', broken: 'modl: scripted' });

  await expect(create(project.directory, options)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message),
  });
});

test('an agent may raise the depth limit if no one above it has set one', async () => {
  using project = openProject();
  await using agent = await create(project.directory, {
    depth: 7,
    definition: { ...definition, delegation: { max_depth: 9 } },
  });

  expect(agent.conversation.status).toBe('idle');
});

test("an agent's processes have the depth of the environment", async () => {
  using project = openProject();
  await using agent = await create(project.directory, { env: { TROUPE_DEPTH: '3' } });

  const result = await agent.supervisor.execute({ command: 'echo $TROUPE_DEPTH' });

  expect(result).toMatchObject({ type: 'completed', stdout: '4\n' });
});

test('closing ends its processes and its supervisor', async () => {
  using project = openProject();
  const agent = await create(project.directory, {
    model: createScriptedModel([
      { calls: [{ name: 'start_process', arguments: { command: 'sleep 600' } }] },
      { text: 'started' },
    ]),
  });
  await agent.conversation.say('go');
  const before = await waitUntil(() => {
    const found = carriers(`/${agent.supervisor.id}/`);
    return found.length > 0 ? found : null;
  });

  await Promise.all([agent.close(), agent.close()]);

  expect((before as number[]).length).toBeGreaterThan(0);
  expect(carriers(`/${agent.supervisor.id}/`)).toEqual([]);
  expect(() => agent.supervisor.start({ command: 'true' })).toThrow(
    expect.objectContaining({ code: 'shutting-down' }),
  );
});

test('without delegates there is no tool for them', async () => {
  using project = openProject({ coder: 'model: scripted' });
  let offered: readonly string[] = [];
  const model = {
    name: 'curious',
    async *stream({ tools }: { tools: readonly { name: string }[] }) {
      offered = tools.map(({ name }) => name);
      yield { type: 'text', text: 'hello' } as const;
    },
  };
  await using alone = await create(project.directory, { model });
  await alone.conversation.say('go');
  const before = offered;
  await using lead = await create(project.directory, {
    model,
    definition: { ...definition, delegates: ['coder'] },
  });
  await lead.conversation.say('go');

  expect(offered.filter((name) => !before.includes(name))).toEqual(['delegate_to_coder', 'spawn_agent']);
});

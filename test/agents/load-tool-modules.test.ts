import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createAgent } from '../../src/agents/create-agent.ts';
import { loadAgent } from '../../src/agents/load-agent.ts';
import { createScriptedModel, type ScriptedStep } from '../../src/models/scripted-model.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { connections } from '../fixtures/agent-tools.ts';
import { openProject } from './project.ts';

const fixture = join(import.meta.dirname, '../fixtures/agent-tools.ts');

/** An agent whose file has these lines. */
async function create(lines: string, steps: readonly ScriptedStep[] = [], options = {}) {
  const project = openProject({ lead: `model: scripted\n${lines}` });
  project.write('agents/plain.mjs', `export const text = 'weather';\nexport default [];`);
  project.write('agents/broken.mjs', `throw new Error('no key');`);
  const definition = await loadAgent('lead', project);
  const agent = await createAgent({
    ...{ definition, directory: project.directory, depth: 0, host: { stateDirectory: false } },
    model: createScriptedModel(steps),
    ...options,
  }).catch((error: unknown) => {
    project[Symbol.dispose]();
    throw error;
  });
  return {
    ...agent,
    project,
    [Symbol.asyncDispose]: async () => {
      await agent.close();
      project[Symbol.dispose]();
    },
  };
}

const call: readonly ScriptedStep[] = [
  { calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] },
  { text: 'done' },
];

test.each(['#weather', '', '#connect'])(
  'an agent has the tools of the export "%s" that its file names',
  async (name) => {
    await using agent = await create(`tools: { modules: ["${fixture}${name}"] }`, call);

    await agent.conversation.say('go');

    expect(agent.conversation.transcript.find(({ role }) => role === 'tool')).toMatchObject({
      text: JSON.stringify({ ok: true, data: 'sunny in Oslo' }),
    });
  },
);

test('the policy of an agent judges a tool of its module', async () => {
  await using agent = await create(
    `tools: { modules: ["${fixture}#weather"] }\npolicy: { permissions: { get_weather: deny } }`,
    call,
  );

  await agent.conversation.say('go');

  expect(agent.conversation.transcript.find(({ role }) => role === 'tool')).toMatchObject({
    text: expect.stringContaining('"ok":false'),
  });
});

test('a function that makes tools is told when its agent is closed', async () => {
  connections.length = 0;
  const agent = await create(`tools: { modules: ["${fixture}#connect"] }`);
  const [place] = connections;
  const wasOpen = place?.signal.aborted === false;

  await agent[Symbol.asyncDispose]();

  expect(wasOpen).toBe(true);
  expect(place).toMatchObject({ directory: agent.project.directory, signal: { aborted: true } });
});

test.each([
  ['a missing module', './none.ts', 'agents/none.ts in "tools.modules", which does not exist.'],
  ['a module that throws', './broken.mjs', 'which cannot be loaded: no key'],
  ['an unknown export', './plain.mjs#txt', 'which has no export "txt". Did you mean "text"?'],
  ['an export that is no tool', './plain.mjs#text', 'whose export "text" has a value of type string'],
  ['a tool of the AI SDK', `${fixture}#ofTheAiSdk`, 'convert them with "await fromAiSdkTools({ … })"'],
  ['a function that throws', `${fixture}#broken`, 'whose export "broken" has failed: no such server'],
  ['two tools with one name', `${fixture}", "${fixture}#weather`, 'two tools with the name "get_weather"'],
])('%s in an agent file is refused', async (_, module, message) => {
  await expect(create(`tools: { modules: ["${module}"] }`)).rejects.toMatchObject({
    code: 'invalid-agent-file',
    message: expect.stringContaining(message),
  });
});

test('a module in a folder with a number sign in its name is looked for there', async () => {
  using project = openProject();
  const directory = join(project.directory, 'c#');
  mkdirSync(join(directory, 'agents'), { recursive: true });
  project.write('c#/agents/lead.yaml', 'name: lead\nmodel: scripted\ntools: { modules: [./none.mjs] }');
  const definition = await loadAgent('lead', { directory });

  const created = createAgent({ definition, directory, depth: 0, model: createScriptedModel([]) });

  await expect(created).rejects.toThrow(`${directory}/agents/none.mjs in "tools.modules", which does not`);
});

test('an agent has the tools of its options beside its set', async () => {
  const lookUp = defineTool({
    name: 'look_up',
    description: 'Looks up a word.',
    input: z.object({}),
    execute: async () => ({ ok: true, data: 'found' }),
  });
  const steps: readonly ScriptedStep[] = [
    {
      calls: [
        { name: 'look_up', arguments: {} },
        { name: 'list_processes', arguments: {} },
      ],
    },
    { text: 'done' },
  ];
  await using agent = await create('', steps, { tools: [lookUp] });

  await agent.conversation.say('go');

  const answers = agent.conversation.transcript.filter(({ role }) => role === 'tool');
  expect(answers.map((answer) => 'text' in answer && JSON.parse(answer.text).ok)).toEqual([true, true]);
});

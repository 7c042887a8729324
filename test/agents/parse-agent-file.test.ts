import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAgentFile } from '../../src/agents/parse-agent-file.ts';
import { rootFolder } from '../house/source-imports.ts';
import { listKeys } from './list-keys.ts';

const parse = (text: string) => parseAgentFile(text, { file: 'agents/a.yaml' });

test('a name and a model are enough', async () => {
  const definition = await parse('name: a\nmodel: { provider: scripted }\n');

  expect(definition).toEqual({ name: 'a', model: { provider: 'scripted' } });
});

test('the example has every key there is', async () => {
  const file = join(rootFolder, 'examples/agents/agents/assistant.yaml');

  const definition = await parseAgentFile(readFileSync(file, 'utf8'), { file });

  expect(listKeys().filter((key) => valueAt(definition, key) === undefined)).toEqual([]);
});

test.each([
  ['scripted', { provider: 'scripted' }],
  ['gpt-5', { name: 'gpt-5' }],
  ['openrouter/some/model', { provider: 'openrouter', name: 'some/model' }],
])('the model %s may be given as text', async (text, expected) => {
  const { model } = await parse(`name: a\nmodel: ${text}\n`);

  expect(model).toEqual(expected);
});

test('an empty section counts as missing', async () => {
  const definition = await parse('name: a\nmodel: scripted\ntools:\n  # deny: [run_command]\n');

  expect(definition).toEqual({ name: 'a', model: { provider: 'scripted' } });
});

const head = 'name: a\nmodel: scripted\n';

test.each([
  [
    'an unknown key',
    `${head}descripton: x\n`,
    '3:13: there is no option "descripton" (given: "x"). Did you mean "description"?',
  ],
  [
    'an unknown key inside',
    `${head}supervisor:\n  defalt_timeout: 5\n`,
    '4:19: there is no option "supervisor.defalt_timeout" (given: 5). Did you mean "default_timeout"?',
  ],
  ['an unknown section', `${head}limit:\n  max_steps: 5\n`, '3:1: there is no option "limit"'],
  [
    'a wrong word',
    `${head}supervisor: { on_timeout: later }\n`,
    '3:27: "supervisor.on_timeout" is "later"; expected one of "background", "kill", "wait".',
  ],
  [
    'a wrong duration',
    `${head}supervisor:\n  kill_grace: 1:30\n`,
    '4:15: "supervisor.kill_grace" is "1:30"; expected a duration: seconds from 0',
  ],
  [
    'a duration in a table',
    `${head}tools:\n  timeouts:\n    run_command: soon\n`,
    '5:18: "tools.timeouts.run_command" is "soon"; expected a duration',
  ],
  [
    'a number as a version',
    `${head}version: 1\n`,
    '3:10: "version" is 1; expected text; put a number in quotes: "1.0".',
  ],
  [
    'an entry of a list',
    `${head}delegates: [b, "no name"]\n`,
    '3:16: "delegates.1" is "no name"; expected a name of letters',
  ],
  ['no name', 'model: scripted\n', '1:1: "name" is missing; expected the name of the agent'],
  ['no model', 'name: a\n', '1:1: "model" is missing; expected the name of a model'],
  ['an empty file', '', '1:1: this is not an agent; expected "name: …"'],
  ['a list', '- a\n', '1:1: this is not an agent'],
  ['a key twice', `${head}name: b\n`, '3:1: "name" occurs twice; remove one.'],
  ['a bracket that stays open', 'name: [a\n', '2:1: not valid YAML: Flow sequence'],
  ['a tab', '\tname: a\n', '1:1: not valid YAML: Tabs are not allowed'],
  ['two documents', 'name: a\n---\nname: b\n', '2:1: not valid YAML: Source contains multiple documents'],
  ['a key that is no text', '? [a]\n: b\n', '1:3: not valid YAML: With stringKeys'],
  ['a merge', `${head}<<: { version: "1" }\n`, '3:1: there is no option "<<"'],
  ['a prototype', `${head}__proto__: { version: "1" }\n`, '3:1: there is no option "__proto__"'],
  ['a tag of another language', 'name: !!js/function a\nmodel: b\n', '1:7: not valid YAML: Unresolved tag'],
])('%s is refused at its place', async (_, text, expected) => {
  await expect(parse(text)).rejects.toMatchObject({
    code: 'invalid-agent-file',
    message: expect.stringContaining(`agents/a.yaml:${expected}`),
  });
});

test("an agent file's problems stand on separate lines", async () => {
  const text = `${head}version: 1\nlimits:\n  max_steps: 0\n  max_stps: 4\n`;

  const message = await messageOf(text);

  expect(message.split('\n').map((line) => line.split(' ')[0])).toEqual([
    'agents/a.yaml:3:10:',
    'agents/a.yaml:5:14:',
    'agents/a.yaml:6:13:',
  ]);
});

test('a key in the file is not repeated', async () => {
  const message = await messageOf('name: a\nmodel: { name: b, api_key: sk-secret }\n');

  expect(message).toContain('there is no option "model.api_key"');
  expect(message).not.toContain('sk-secret');
});

test('a bomb of anchors is refused', async () => {
  const times = (name: string) => `[${Array.from({ length: 9 }, () => `*${name}`).join(', ')}]`;
  const layers = ['b', 'c', 'd', 'e', 'f', 'g', 'h'].map(
    (name, index) => `${name}: &${name} ${times('abcdefg'[index] ?? 'a')}`,
  );

  const message = await messageOf(`a: &a [1, 2, 3]\n${layers.join('\n')}\n`);

  expect(message).toContain('Excessive alias count');
});

test('nesting without end is refused in a few lines', async () => {
  const message = await messageOf('['.repeat(20_000));

  expect(message.length).toBeLessThan(2_000);
});

async function messageOf(text: string): Promise<string> {
  return await parse(text).then(
    () => '',
    (error: Error) => error.message,
  );
}

function valueAt(target: unknown, key: string): unknown {
  return key
    .split('.')
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], target);
}

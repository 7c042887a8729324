import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAgent } from '../../src/agents/create-agent.ts';
import { loadAgent } from '../../src/agents/load-agent.ts';
import type { SecretQuestion } from '../../src/config/secret-source.ts';
import type { ChatMessage } from '../../src/models/chat-model.ts';
import { createScriptedModel } from '../../src/models/scripted-model.ts';
import { createFileJournal } from '../../src/store/file-journal.ts';
import { openProject } from './project.ts';

const value = 'hunter2-secret';

const file = `model: scripted
policy: { mode: dangerous }
secrets:
  token: { ask: "Your token?" }
  key: { file: keys/key }
`;

function textsBelow(directory: string): string {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');
}

test('an agent gives a secret that a person types, and never sees it', async () => {
  using project = openProject({ lead: file });
  const questions: SecretQuestion[] = [];
  const seen: string[] = [];
  const see = (messages: readonly ChatMessage[]) => void seen.push(JSON.stringify(messages));
  const idIn = (messages: readonly ChatMessage[]) => /tool_\w{8}/.exec(JSON.stringify(messages))?.[0];
  const command = 'read -r line; echo "token: $line"';
  await using agent = await createAgent({
    definition: await loadAgent('lead', { directory: project.directory }),
    directory: project.directory,
    depth: 0,
    journal: createFileJournal(join(project.directory, 'conversation.jsonl')),
    askSecret: async (question) => {
      questions.push(question);
      return value;
    },
    model: createScriptedModel([
      { calls: [{ name: 'start_process', arguments: { command, stdin: true } }] },
      (messages) => ({
        calls: [{ name: 'write_process', arguments: { process_id: idIn(messages), secret: 'token' } }],
      }),
      (messages) => ({ calls: [{ name: 'wait_for', arguments: { process_id: idIn(messages) } }] }),
      (messages) => {
        see(messages);
        return { text: 'done' };
      },
    ]),
  });

  const outcome = await agent.conversation.say('log in');
  await agent.close();

  const written = textsBelow(project.directory);
  expect(outcome).toMatchObject({ type: 'answered', text: 'done' });
  expect(questions).toMatchObject([{ name: 'token', ask: 'Your token?', processId: expect.any(String) }]);
  expect(seen.join('\n')).toContain('token: [redacted]');
  expect(written).toContain('token: [redacted]');
  expect(seen.join('\n') + written).not.toContain(value);
});

test('the system prompt names the secrets of an agent', async () => {
  using project = openProject({ lead: file });
  let system = '';
  await using agent = await createAgent({
    definition: await loadAgent('lead', { directory: project.directory }),
    directory: project.directory,
    depth: 0,
    host: { stateDirectory: false },
    model: {
      name: 'scripted',
      stream: (request) => {
        system = JSON.stringify(request);
        return createScriptedModel([{ text: 'hello' }]).stream(request);
      },
    },
  });

  await agent.conversation.say('hello');

  expect(system).toContain('The names: token, key.');
});

test("a secret's file counts from the project", async () => {
  using project = openProject({ lead: file.replace('keys/key', 'agents/key') });
  project.write('agents/key', `${value}\n`);
  await using agent = await createAgent({
    definition: await loadAgent('lead', { directory: project.directory }),
    directory: project.directory,
    depth: 0,
    host: { stateDirectory: false },
    model: createScriptedModel([]),
  });
  const handle = agent.supervisor.start({ command: 'wc -c', stdin: 'pipe', background: true });

  await handle.writeSecret('key', { pressEnter: false });
  await handle.endInput();
  await handle.ended;

  expect(handle.read().text.trim()).toBe(String(value.length));
});

test('a question without a person is denied for that reason', async () => {
  using project = openProject({ lead: file });
  await using agent = await createAgent({
    definition: await loadAgent('lead', { directory: project.directory }),
    directory: project.directory,
    depth: 0,
    host: { stateDirectory: false },
    model: createScriptedModel([]),
  });
  const handle = agent.supervisor.start({ command: 'cat', stdin: 'pipe', background: true });

  expect(await handle.writeSecret('token')).toMatchObject({
    ok: false,
    error: expect.stringContaining('there is no person to ask'),
  });
});

test.for<[string, string, string]>([
  ['a value', 'secrets: { token: hunter2 }', 'expected one of { env: "NPM_TOKEN" }'],
  ['an unknown source', 'secrets: { token: { vault: x } }', 'expected one of { env: "NPM_TOKEN" }'],
  ['a wrong name', 'secrets: { "a b": { env: X } }', 'expected a name of letters'],
])('%s in place of a source is refused', async ([, text, words]) => {
  using project = openProject({ lead: `model: scripted\n${text}` });

  const error = await loadAgent('lead', { directory: project.directory }).catch((thrown: Error) => thrown);

  expect(error).toMatchObject({ message: expect.stringContaining(words) });
  expect(String(error)).not.toContain('hunter2');
});

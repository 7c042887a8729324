import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { runAgent } from '../../src/agents/create-agent.ts';
import { createDemoModel } from '../../src/agents/demo-model.ts';
import { loadAgent } from '../../src/agents/load-agent.ts';
import type { PermissionQuestion } from '../../src/policy/authorize.ts';
import { openProject } from '../agents/project.ts';
import { mainFile } from '../cli/program.ts';
import { commandOf, listPids } from '../support/os.ts';
import { type ChatEndpoint, lastText, startChatEndpoint } from './chat-endpoint.ts';

const scripted = 'model: scripted\npolicy: { mode: dangerous }';
const troupe = [process.execPath, mainFile] as const;

/** Every agent is a Node of its own. */
const timeout = 120_000;

/** Runs `troupe exec` as from a shell: in our environment without the variables that a parent agent sets. */
async function exec(
  directory: string,
  words: readonly string[],
  { env = {}, input = '' }: { env?: Readonly<Record<string, string>>; input?: string } = {},
) {
  const [program, ...args] = troupe;
  const child = spawn(program, [...args, 'exec', ...words], {
    cwd: directory,
    env: { ...process.env, ...env },
  });
  child.stdin.end(input);
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => resolve(code));
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { stdout, stderr, code };
}

const execJson = async (...call: Parameters<typeof exec>) => {
  const { stdout, stderr, code } = await exec(call[0], [...call[1], '--output', 'json'], call[2]);
  try {
    return { result: JSON.parse(stdout), code };
  } catch {
    throw new Error(`no JSON on stdout: ${stdout}\n${stderr}`);
  }
};

const refused = { ok: false, error: expect.stringContaining('Maximum delegation depth (5) reached') };

test('a key reaches the model of the delegate and appears nowhere else', { timeout }, async () => {
  const key = `key-${'of-nobody'.repeat(3)}`;
  const seen: string[] = [];
  await using endpoint = await startChatEndpoint(({ model, messages }) => {
    seen.push(...commandLines().filter((line) => line.includes(key)));
    const last = lastText(messages);
    if (model === 'leading') {
      return messages.some(({ role }) => role === 'tool')
        ? { text: last }
        : { call: ['delegate_to_coder', { task: 'look around' }] };
    }
    if (messages.some(({ role }) => role === 'tool')) return { text: last };
    return { call: ['run_command', { command: 'env; echo "key=$OPENAI_API_KEY"' }] };
  });
  using project = openProject({
    lead: 'model: leading\npolicy: { mode: dangerous }\ndelegates: [coder]',
    coder: 'model: coding\npolicy: { mode: dangerous }',
  });

  const { result, code } = await execJson(project.directory, ['lead', '--task', 'go'], {
    env: { OPENAI_API_KEY: key, OPENAI_BASE_URL: endpoint.baseUrl },
  });

  expect({ ok: result.ok, code }).toEqual({ ok: true, code: 0 });
  expect(endpoint.requests.map(({ model, key }) => [model, key])).toEqual([
    ['leading', key],
    ['coding', key],
    ['coding', key],
    ['leading', key],
  ]);
  expect(JSON.stringify(endpoint.requests.map(({ messages }) => messages))).toContain('key=');
  expect(seen).toEqual([]);
  for (const where of [
    JSON.stringify(result),
    JSON.stringify(endpoint.requests.map(({ messages }) => messages)),
    ...filesIn(join(project.directory, '.troupe')),
  ]) {
    expect(where).not.toContain(key);
  }
});

test.each([0, 4])('an agent starts at depth %i', { timeout }, async (depth) => {
  using project = openProject({ lead: scripted });

  const { result, code } = await execJson(project.directory, [
    'lead',
    '--task',
    'run echo $TROUPE_DEPTH',
    '--depth',
    String(depth),
  ]);

  expect({ result, code }).toEqual({
    result: { ok: true, data: expect.stringContaining(`${depth + 1}\n`) },
    code: 0,
  });
});

test.each([
  ['by flag', ['--depth', '5'], {}],
  ['by variable', [], { TROUPE_DEPTH: '5' }],
])('depth 5 is refused %s', { timeout }, async (_, flags, env) => {
  using project = openProject({ lead: scripted });

  const answer = await execJson(project.directory, ['lead', '--task', 'run echo hello', ...flags], {
    env: env as Record<string, string>,
  });

  expect(answer).toEqual({ result: refused, code: 1 });
});

test('depth 5 is refused in one program', { timeout }, async () => {
  using project = openProject({ lead: scripted });
  const definition = await loadAgent('lead', project);
  const at = (depth: number) =>
    runAgent({ definition, ...project, model: createDemoModel(), depth, task: 'run echo hello' });

  expect(await at(5)).toEqual(refused);
  expect(await at(4)).toEqual({ ok: true, data: expect.stringContaining('hello') });
});

test.each(['abc', ''])('the depth %j is an error', { timeout }, async (depth) => {
  using project = openProject({ lead: scripted });

  const byVariable = await execJson(project.directory, ['lead', '--task', 'run echo hello'], {
    env: { TROUPE_DEPTH: depth },
  });
  const byFlag = await execJson(project.directory, ['lead', '--task', 'run echo hello', `--depth=${depth}`]);

  expect(byVariable).toEqual({
    result: { ok: false, error: expect.stringContaining(`TROUPE_DEPTH is ${JSON.stringify(depth)}`) },
    code: 1,
  });
  expect(byFlag).toEqual({
    result: { ok: false, error: expect.stringContaining(`--depth is ${JSON.stringify(depth)}`) },
    code: 1,
  });
});

test('a plain shell command inherits the depth', { timeout }, async () => {
  using project = openProject({ lead: scripted });
  project.write('inner.sh', `${troupe.join(' ')} exec lead --task 'run echo $TROUPE_DEPTH'\n`);
  const at = async (depth: string) => {
    const call = ['lead', '--task', 'run sh inner.sh', '--depth', depth];
    return (await execJson(project.directory, call)).result.data;
  };

  const [third, fourth] = [await at('3'), await at('4')];

  expect(third).toContain('It worked:\n5');
  expect(fourth).toContain('Maximum delegation depth (5) reached');
});

test.each(['subprocess', 'in_process'] as const)(
  'agents that delegate to each other come to an end: %s',
  { timeout },
  async (mode) => {
    await using endpoint = await startChatEndpoint(({ model, messages }) => {
      const [, other] = model === 'left' ? ['left', 'right'] : ['right', 'left'];
      const isAnswered = messages.some(({ role }) => role === 'tool');
      return isAnswered
        ? { text: lastText(messages) }
        : { call: [`delegate_to_${other}`, { task: 'you do it', mode }] };
    });
    using project = openProject({
      left: 'model: left\npolicy: { mode: dangerous }\ndelegates: [right]',
      right: 'model: right\npolicy: { mode: dangerous }\ndelegates: [left]',
    });

    const { result } = await execJson(project.directory, ['left', '--task', 'do it'], {
      env: { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: endpoint.baseUrl },
    });

    const first = endpoint.requests.filter(({ messages }) => !messages.some(({ role }) => role === 'tool'));
    expect(first.map(({ model }) => model)).toEqual(['left', 'right', 'left', 'right', 'left']);
    expect(result.data).toContain('Maximum delegation depth (5) reached');
  },
);

test.each(['subprocess', 'in_process'])('a delegate without its key fails: %s', { timeout }, async (mode) => {
  using project = openProject({
    lead: `${scripted}\ndelegates: [coder]\ndelegation: { default_mode: ${mode} }`,
    coder: 'model: { provider: anthropic, name: any }\npolicy: { mode: dangerous }',
  });

  const { result } = await execJson(project.directory, ['lead', '--task', 'ask coder to run touch made'], {
    env: { ANTHROPIC_API_KEY: '' },
  });

  expect(result.data).toContain('ANTHROPIC_API_KEY is not set');
  expect(readdirSync(project.directory)).not.toContain('made');
});

test('the first agent without a key is a script that says so', { timeout }, async () => {
  using project = openProject({ lead: 'model: any\npolicy: { mode: dangerous }' });

  const { stdout, stderr } = await exec(project.directory, ['lead', '--task', 'run echo hello'], {
    env: { OPENAI_API_KEY: '', OPENAI_BASE_URL: '' },
  });

  expect(stdout).toContain('hello');
  expect(stderr).toContain('OPENAI_API_KEY is not set, so a small script answers');
});

test('restrictions hold in other programs, too', { timeout }, async () => {
  using project = openProject({
    lead: 'model: scripted\npolicy: { mode: dangerous, commands: { deny: ["touch*"] } }\ndelegates: [coder]',
    coder: scripted,
  });
  const inner = [...troupe, 'exec', 'coder', '--task', '"run touch made"'].join(' ');

  const delegated = await execJson(project.directory, ['lead', '--task', 'ask coder to run touch made']);
  const shelled = await execJson(project.directory, ['lead', '--task', `run ${inner}`]);

  expect(delegated.result.data).toContain('Denied');
  expect(shelled.result.data).toContain('Denied');
  expect(readdirSync(project.directory)).not.toContain('made');
});

test('a context of a megabyte arrives once', { timeout }, async () => {
  const fact = `begin ${'x'.repeat(1024 * 1024)} end`;
  await using endpoint = await listeningEndpoint();
  using project = openProject({ lead: 'model: any' });

  const { result } = await execJson(project.directory, ['lead'], {
    env: { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: endpoint.baseUrl },
    input: JSON.stringify({ task: 'review it', context: { relevant_facts: [fact] } }),
  });

  expect(result).toEqual({ ok: true, data: 'heard' });
  const said = JSON.stringify(endpoint.requests[0]?.messages);
  expect(said.split(fact)).toHaveLength(2);
  expect(said.split('review it')).toHaveLength(2);
});

function listeningEndpoint(): Promise<ChatEndpoint> {
  return startChatEndpoint(() => ({ text: 'heard' }));
}

/** What `ps` would show of every process. */
function commandLines(): readonly string[] {
  return listPids().map((pid) => commandOf(pid).join(' '));
}

function filesIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}

test.each([
  { answer: true, made: ['made'] },
  { answer: false, made: [] },
] as const)(
  'a delegate in a program of its own asks through those above: $answer',
  { timeout },
  async ({ answer, made }) => {
    using project = openProject({
      lead: 'model: scripted\npolicy: { mode: auto }\ndelegates: [middle]\ndelegation: { default_mode: subprocess }',
      middle:
        'model: scripted\npolicy: { mode: auto }\ndelegates: [coder]\ndelegation: { default_mode: subprocess }',
      coder: 'model: scripted\npolicy: { mode: default }',
    });
    const questions: PermissionQuestion[] = [];

    const result = await runAgent({
      definition: await loadAgent('lead', project),
      directory: project.directory,
      model: createDemoModel(),
      depth: 0,
      ask: async (question) => {
        questions.push(question);
        return answer;
      },
      task: 'ask middle to ask coder to run touch made',
    });

    expect(questions).toMatchObject([
      {
        agent: 'coder',
        tool: 'run_command',
        arguments: { command: 'touch made' },
        start: { command: 'touch made', cwd: project.directory },
        reason: expect.stringContaining('mode default'),
        always: ['touch made'],
      },
    ]);
    expect(readdirSync(project.directory).filter((name) => name === 'made')).toEqual(made);
    expect(JSON.stringify(result).includes('did not consent')).toBe(!answer);
  },
);

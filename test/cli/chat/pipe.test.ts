import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startMockEndpoint } from '../../models/mock-endpoint.ts';
import { waitUntil } from '../../support/os.ts';
import { callProgram } from '../call-program.ts';
import {
  cleanEnvironment,
  mainFile,
  type ProgramInput,
  projectDir,
  runProgram,
  STARTED_WITHIN_MS,
  startProgram,
} from '../program.ts';

function project(agents: readonly string[] = ['worker'], policy = 'auto') {
  const made = projectDir();
  mkdirSync(made.file('agents'));
  for (const name of agents) {
    writeFileSync(
      made.file(`agents/${name}.yaml`),
      `name: ${name}\nmodel: scripted\npolicy: { mode: ${policy} }\n`,
    );
  }
  return made;
}

const chat = ({ path }: { path: string }, args: readonly string[], given: ProgramInput = {}) =>
  callProgram(['chat', ...args], { cwd: path, ...given });

const chatProgram = (
  { path, env }: ReturnType<typeof projectDir>,
  args: readonly string[],
  given: ProgramInput = {},
) => runProgram(['chat', ...args], { cwd: path, ...given, env: { ...env, ...given.env } });

test('each line is a message of its own', async () => {
  await using at = project();

  const ran = await chatProgram(at, [], { input: 'run echo one\n\nrun echo two\n' });

  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toMatch(
    /› run echo one\n→ run_command.*\n← .*code 0.*\n {2}│ one\n●[\s\S]*› run echo two\n[\s\S]*│ two/,
  );
  expect(ran.stdout).not.toContain('\x1b');
});

test('no line is lost while the agent is made', async () => {
  await using at = project(['boss', 'worker']);
  // Its delegate is read from a file first.
  writeFileSync(
    at.file('agents/boss.yaml'),
    'name: boss\nmodel: scripted\npolicy: { mode: auto }\ndelegates: [worker]\n',
  );

  const ran = await chatProgram(at, ['boss'], { input: 'run echo one\nask worker to run echo two\n' });

  expect(ran.stdout).toContain('│ one');
  expect(ran.stdout).toMatch(/→ delegate_to_worker[\s\S]*← delegate_to_worker[\s\S]*two/);
});

test('the end of the input waits for the work', async () => {
  await using at = project();

  const { child, ran } = startProgram(['chat', '--supervisor.default_timeout=0.2'], {
    cwd: at.path,
    env: at.env,
    input: 'run until test -e go; do sleep 0.1; done; echo built\n',
  });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  await waitUntil(() => printed.includes('continues in the background'), { withinMs: STARTED_WITHIN_MS });

  writeFileSync(at.file('go'), '');
  const { code, stdout } = await ran;

  expect(code).toBe(0);
  expect(stdout).toMatch(
    /⇢ tool_\w+ continues in the background[\s\S]*◆ tool_\w+ completed.*\n {2}│ built\n●/,
  );
  await at.gone();
});

test('work that is not waited for is ended', async () => {
  await using at = project();

  const ran = await chatProgram(at, ['--background', 'kill', '--supervisor.default_timeout=0.2'], {
    input: 'run sleep 600\n',
  });

  expect(ran.code).toBe(0);
  await at.gone();
});

test('without a person to ask, asking is a denial', async () => {
  await using at = project(['worker'], 'default');

  const ran = await chat(at, [], { input: 'run env echo secret\n' });

  expect(ran.stdout).toMatch(/← run_command failed: Denied: .*no person to ask/);
  expect(ran.stdout).not.toContain('│ secret');
});

test('without agents there is a built-in one', async () => {
  await using at = projectDir();

  const ran = await chat(at, [], { input: 'hello\n' });

  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toContain('this is the built-in agent. "troupe init" creates one of your own.');
  expect(ran.stdout).toContain('OPENAI_API_KEY is not set');
  expect(ran.stdout).toContain('OPENAI_BASE_URL');
});

test('an agent has to be named among several', async () => {
  await using at = project(['builder', 'reviewer']);

  const unnamed = await chat(at, []);
  const named = await chat(at, ['reviewer']);

  expect(unnamed).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('The agents are: builder, reviewer.'),
  });
  expect(named).toMatchObject({ code: 0, stdout: expect.stringContaining('· reviewer ·') });
});

test('a conversation is gone on with', async () => {
  await using at = project(['builder', 'reviewer']);
  await chat(at, ['reviewer'], { input: 'run echo remembered\n' });

  const ran = await chat(at, ['--resume'], { input: 'list\n' });

  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toContain('· reviewer ·');
  expect(ran.stdout).toContain('Resuming a conversation of 1 message.');
  expect(ran.stdout).toContain('› run echo remembered');
  expect(readdirSync(at.file('.troupe/conversations'))).toHaveLength(1);
});

test.each([
  [['--resume'], 'There is no conversation to resume here.'],
  [['--supervisor.defualt_timeout=60'], 'Did you mean "default_timeout"?'],
  [['--wait', 'soon'], '--wait is "soon"; expected seconds'],
  [['wroker'], 'Agent "wroker" not found.'],
])('%j is a usage error', async (args, problem) => {
  await using at = project();

  const ran = await chat(at, args);

  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(problem) });
});

test.each(['.troupe', '.troupe/conversations'])(
  'a chat that cannot be saved in %s continues',
  async (path) => {
    await using at = project();
    mkdirSync(dirname(at.file(path)), { recursive: true });
    writeFileSync(at.file(path), '');

    const ran = await chat(at, [], { input: 'run echo said\n' });

    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const remarks = ran.stdout.split('\n').filter((line) => line.includes('cannot be saved'));
    expect(remarks).toEqual([
      expect.stringMatching(`^· The conversation .*/${path}" .*: a file stands in its place\\. It continues`),
    ]);
    expect(ran.stdout).toContain('│ said');
    expect(ran.stdout).not.toContain('Saved as');
  },
);

test('an unreadable conversation is not resumed', async () => {
  await using at = project();
  mkdirSync(at.file('.troupe/conversations/worker_abcd1234.jsonl'), { recursive: true });

  const ran = await chat(at, ['--resume'], { input: 'list\n' });

  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(
    /^troupe: ".*_abcd1234\.jsonl" cannot be opened: a directory stands in its place\.\n$/,
  );
});

test('a state directory that cannot be opened is an error', async () => {
  await using at = project();
  writeFileSync(at.file('.troupe'), '');

  const ran = await chat(at, ['--resume'], { input: 'list\n' });

  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(/^troupe: ".*" cannot be opened: a part of the path is a file\.\n$/);
});

test('a conversation in use is not gone on with', async () => {
  await using at = project();
  const { child, ran } = startProgram(['chat'], { cwd: at.path, env: at.env, input: 'run sleep 600\n' });
  await at.started();

  const second = await chat(at, ['--resume'], { input: 'list\n' });
  child.kill('SIGTERM');
  await ran;

  expect(second).toMatchObject({ code: 1, stdout: '' });
  expect(second.stderr).toMatch(new RegExp(`^troupe: .* in use by .*pid ${child.pid}.*\\.\\n$`));
  await at.gone();
});

test('a conversation that was lost is not promised', async () => {
  await using at = project();
  const limited = ['-c', `ulimit -f 1; trap '' XFSZ; exec "$@"`, 'sh', process.execPath, mainFile, 'chat'];
  const child = spawn('sh', limited, { cwd: at.path, env: cleanEnvironment(at.env) });
  child.stdin.end(`${'x'.repeat(4_000)}\n`);

  const [stdout] = await Promise.all([text(child.stdout), once(child, 'close')]);

  expect(stdout).toContain('! The conversation cannot be saved:');
  expect(stdout).not.toContain('Saved as');
});

test('the depth is refused before a word', async () => {
  await using at = projectDir();

  const ran = await chat(at, [], { input: 'hello\n', env: { TROUPE_DEPTH: '5' } });

  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(/^troupe: Maximum delegation depth \(5\) reached/);
});

test('SIGTERM ends it with its processes', async () => {
  await using at = project();
  const { child, ran } = startProgram(['chat'], { cwd: at.path, env: at.env, input: 'run sleep 600\n' });
  await at.started();

  child.kill('SIGTERM');
  const { code, stdout } = await ran;

  expect(code).toBe(143);
  expect(stdout).toContain('Nothing is left running.');
  await at.gone();
});

/** An endpoint that answers every request like this. */
async function endpoint(status: number, body: string) {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'text/event-stream' });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('with a key the model answers', async () => {
  await using at = projectDir();
  const pieces = ['Good ', 'morning.'].map(
    (content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`,
  );
  const end = `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`;
  await using model = await endpoint(200, pieces.join('') + end);

  const ran = await chatProgram(at, [], { input: 'hello\n', env: model.env });

  expect(ran).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('\n● Good morning.\n') });
  expect(ran.stdout).not.toContain('is not set');
  expect(ran.stdout).not.toContain('sk-test');
});

test('a model that cannot answer fails the chat', async () => {
  await using at = projectDir();
  await using model = await endpoint(401, '{"error":{"message":"no such key"}}');

  const ran = await chat(at, [], { input: 'hello\n', env: model.env });

  expect(ran).toMatchObject({ code: 1, stdout: expect.stringContaining('! The agent could not answer:') });
});

test('an answer stands when the model fails on a later notice', async () => {
  await using at = projectDir();
  const started = { name: 'start_process', arguments: { command: 'sleep 0.2' } };
  await using model = await startMockEndpoint([
    { calls: [started] },
    { text: 'It runs.' },
    { status: 401, message: 'no such key' },
  ]);
  const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: model.baseUrl };

  const ran = await chat(at, ['--policy.mode=auto'], { input: 'start it\n', env });

  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('● It runs.') });
  expect(ran.stdout).toContain('! The agent could not answer:');
});

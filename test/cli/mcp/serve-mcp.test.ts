import { existsSync, mkdirSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { McpFlags } from '../../../src/cli/verbs/mcp.ts';
import { serveMcp } from '../../../src/cli/verbs/mcp.ts';
import { tempDir, waitUntil } from '../../support/os.ts';
import { fakeIo } from '../fake-io.ts';

/** A server in this program, and what a client says to it line by line. */
function openServer(
  flags: Partial<McpFlags> = {},
  { env = {}, cwd }: { env?: Record<string, string>; cwd?: string } = {},
) {
  const place = tempDir();
  const fake = fakeIo({ env });
  const served = serveMcp({
    flags: { tools: 'process', policyMode: 'dangerous', ...flags },
    io: { ...fake.io, cwd: cwd ?? place.path },
  });
  const send = (message: object) => fake.type(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  let asked = 0;
  const ask = async (method: string, params: object) => {
    asked += 1;
    const id = asked;
    send({ id, method, params });
    // biome-ignore lint/suspicious/noExplicitAny: a test reads what it knows to be there.
    const findAnswer = (): any =>
      fake
        .stdout()
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line))
        .find((answer) => answer.id === id);
    return (await waitUntil(findAnswer)).result;
  };
  return {
    ask,
    send,
    shakeHands: async () => {
      const clientInfo = { name: 'test', version: '1' };
      await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
      send({ method: 'notifications/initialized' });
    },
    call: async (name: string, input: object) =>
      (await ask('tools/call', { name, arguments: input })).structuredContent,
    stdout: fake.stdout,
    place,
    [Symbol.asyncDispose]: async () => {
      fake.endInput();
      await served;
      place.remove();
    },
  };
}

test('a secret is typed by its name and appears in no answer', async () => {
  process.env['TROUPE_TEST_KEY'] = 'hunter2hunter2';
  onTestFinished(() => {
    delete process.env['TROUPE_TEST_KEY'];
  });
  await using server = openServer({ secret: ['npm=env:TROUPE_TEST_KEY'] });
  await server.shakeHands();
  const command = 'read line; test "$line" = hunter2hunter2 && echo "same: $line"';
  const { data } = await server.call('start_process', {
    command: `${command} $TROUPE_TEST_KEY.`,
    stdin: true,
  });
  const { process_id } = data;

  const written = await server.call('write_process', { process_id, secret: 'npm' });
  await server.call('wait_for', { process_id });
  const read = await server.call('get_process_output', { process_id });

  expect(written).toMatchObject({ ok: true });
  expect(read.data.output).toMatch(/^same: \S*[^\w]* \.\n$/);
  expect(read.data.output).not.toContain('hunter2');
});

/** A project, and sessions in it one after the other. */
function openProject() {
  const project = tempDir();
  onTestFinished(project.remove);
  return {
    ...project,
    /** What a session is answered to each of these calls. */
    session: async (flags: Partial<McpFlags>, ...calls: readonly (readonly [string, object])[]) => {
      await using server = openServer(flags, { cwd: project.path });
      await server.shakeHands();
      const answers = [];
      for (const [name, input] of calls) answers.push(await server.call(name, input));
      return answers;
    },
  };
}

const list = ['list_processes', { include_completed: true }] as const;

test('a later session in a directory sees nothing of an earlier one', async () => {
  const project = openProject();
  await project.session(
    {},
    ['start_process', { command: 'echo private' }],
    ['run_command', { command: 'true' }],
  );

  const [listed] = await project.session({}, list);

  expect(listed).toEqual({ ok: true, data: { processes: [] } });
});

test('a later session with the same --owner sees what the earlier one left', async () => {
  const project = openProject();
  await project.session({ owner: 'editor' }, ['run_command', { command: 'echo mine' }]);

  const [listed] = await project.session({ owner: 'editor' }, list);

  expect(listed).toMatchObject({ data: { processes: [{ command: 'echo mine' }] } });
});

test('flags say where commands run and where their records are', async () => {
  const project = openProject();
  mkdirSync(project.file('inside'));
  const run = ['run_command', { command: 'pwd' }] as const;

  const [ran] = await project.session({ cwd: 'inside', stateDir: 'records' }, run);

  expect(ran.data.output).toBe(`${project.file('inside')}\n`);
  expect([existsSync(project.file('records')), existsSync(project.file('inside/.troupe'))]).toEqual([
    true,
    false,
  ]);
});

test('TROUPE_STATE_DIR says where records are', async () => {
  await using server = openServer({}, { env: { TROUPE_STATE_DIR: 'elsewhere' } });
  await server.shakeHands();

  await server.call('run_command', { command: 'true' });

  expect(existsSync(server.place.file('elsewhere'))).toBe(true);
  expect(existsSync(server.place.file('.troupe'))).toBe(false);
});

test('flags limit what runs in the background', async () => {
  const project = openProject();
  const start = (command: string) => ['start_process', { command }] as const;

  const [first, second] = await project.session(
    { maxBackground: '1' },
    start('sleep 600'),
    start('sleep 601'),
  );

  expect(first).toMatchObject({ ok: true });
  expect(second).toMatchObject({ ok: false, error: expect.stringMatching(/background processes \(1\)/) });
});

test('a flag limits how long what is in the background runs', async () => {
  await using server = openServer({ maxBackgroundTime: '0.1' });
  await server.shakeHands();
  const { data } = await server.call('start_process', { command: 'sleep 600' });

  await server.call('wait_for', { process_id: data.process_id, exit: true });

  const ended = await server.call('check_process', { process_id: data.process_id });
  expect(ended).toMatchObject({ data: { status: 'timed_out' } });
});

test.each([
  [{ cwd: 'nowhere' }, '--cwd is "/project/nowhere", which is not a directory'],
  [{ maxBackground: 'many' }, '--max-background is "many"; expected a whole number'],
  [{ maxBackgroundTime: 'long' }, '--max-background-time is "long"'],
  [{ owner: '' }, '--owner is ""; expected 1 to 64 letters'],
  [{ owner: 'me', http: true as const }, 'By HTTP there are many clients'],
])('%j is refused with an explanation', async (flags, problem) => {
  const { io } = fakeIo();

  await expect(serveMcp({ flags: { tools: 'process', policyMode: 'auto', ...flags }, io })).rejects.toThrow(
    problem,
  );
});

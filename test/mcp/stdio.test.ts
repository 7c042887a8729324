import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isAlive, waitUntil } from '../support/os.ts';
import { dataOf, eras } from './arrange.ts';
import { connectByStdio, startServer } from './stdio-client.ts';

/** The server has to come up first, which takes seconds where others want the processor. */
const STARTED = { withinMs: 30_000 };

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
const listTools = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

test.for(eras)('no file is written before a process starts (%s)', async (era) => {
  await using given = await connectByStdio(era);

  await given.client.listTools();
  await given.client.callTool({ name: 'list_processes' });
  const before = existsSync(given.directory.file('.troupe'));
  await given.client.callTool({ name: 'run_command', arguments: { command: 'echo hello' } });

  expect({ before, after: existsSync(given.directory.file('.troupe')) }).toEqual({
    before: false,
    after: true,
  });
});

test.for(eras)('a process outlives a cancelled call and ends with the client (%s)', async (era) => {
  await using given = await connectByStdio(era);
  const { client } = given;
  const cancel = new AbortController();
  const over = client
    .callTool(
      { name: 'run_command', arguments: { command: 'sleep 600 & sleep 600' } },
      { signal: cancel.signal },
    )
    .catch(() => {});
  const pid = await waitUntil(() => pidOfOnly(client), STARTED);

  cancel.abort();
  await over;
  const list = await waitUntil(async () => {
    const [only] = await listProcesses(client);
    return only?.['status'] === 'backgrounded' ? only : null;
  }, STARTED);
  const aliveAfterCancel = isAlive(pid);
  await client.close();

  expect({ status: list['status'], aliveAfterCancel }).toEqual({
    status: 'backgrounded',
    aliveAfterCancel: true,
  });
  // A client kills a server that is slow: then it is the watchdog that ends them.
  await waitUntil(() => !isAlive(given.pid) && !isAlive(pid), STARTED);
});

test('the end of stdin ends the processes and then the server', async () => {
  await using given = startServer();
  given.send(initialize, initialized, run('sleep 600 & echo $! > child; sleep 600'));
  await waitUntil(() => existsSync(given.directory.file('child')), STARTED);
  const pid = await childPid(given.directory.file('child'));

  given.end();
  const end = await given.exited;

  expect(end).toEqual({ code: 0, signal: null });
  expect(isAlive(pid)).toBe(false);
});

test.for(['SIGTERM', 'SIGINT'] as const)('%s ends the processes and then the server', async (signal) => {
  await using given = startServer();
  given.send(initialize, initialized, run('echo $$ > child; exec sleep 600'));
  await waitUntil(() => existsSync(given.directory.file('child')), STARTED);
  const pid = await childPid(given.directory.file('child'));

  given.kill(signal);
  const end = await given.exited;

  expect(end).toEqual({ code: 0, signal: null });
  expect(isAlive(pid)).toBe(false);
});

test('stdout carries the protocol and nothing else', async () => {
  await using given = startServer();
  given.send(initialize, initialized, listTools, run('echo noise; echo more >&2'));
  await waitUntil(() => answerTo(9, given.said.stdout) !== undefined, STARTED);

  given.end();
  await given.exited;

  const messages = given.said.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(messages.map(({ jsonrpc }) => jsonrpc)).toEqual(messages.map(() => '2.0'));
});

test('garbage on stdin changes nothing', async () => {
  await using given = startServer();
  given.write('not json\n\n{"half":\n\0\0\n[1,2]\n"text"\n{"jsonrpc":"1.0","id":7}\n');
  given.send(initialize, initialized);
  given.write('{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":7}}\n');
  given.write('{"jsonrpc":"2.0","id":4,"method":"no/such/method"}\n');
  given.send(listTools);

  await waitUntil(() => [1, 2, 3, 4].every((id) => answerTo(id, given.said.stdout) !== undefined), STARTED);

  expect(answerTo(1, given.said.stdout)).toHaveProperty('result');
  expect(answerTo(3, given.said.stdout)).toMatchObject({ error: { code: -32_602 } });
  expect(answerTo(4, given.said.stdout)).toMatchObject({ error: { code: -32_601 } });
});

test('a frame without an end breaks the connection in order', async () => {
  await using given = startServer();
  given.send(initialize, initialized, run('echo $$ > child; exec sleep 600'));
  await waitUntil(() => existsSync(given.directory.file('child')), STARTED);
  const pid = await childPid(given.directory.file('child'));

  given.write('x'.repeat(11 * 1024 * 1024));
  const end = await given.exited;

  expect(end).toEqual({ code: 1, signal: null });
  expect(given.said.stderr).toContain('exceeded maximum size');
  expect(isAlive(pid)).toBe(false);
});

function run(command: string) {
  return {
    jsonrpc: '2.0',
    id: 9,
    method: 'tools/call',
    params: { name: 'run_command', arguments: { command } },
  };
}

/** Among the lines that are complete. */
function answerTo(id: number, stdout: string): unknown {
  const messages = stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  return messages.find((message) => message.id === id && message.method === undefined);
}

type TestClient = Awaited<ReturnType<typeof connectByStdio>>['client'];

async function listProcesses(client: TestClient): Promise<readonly Record<string, unknown>[]> {
  const { data } = dataOf(await client.callTool({ name: 'list_processes' })) as { data: { processes: [] } };
  return data.processes;
}

/** Once it runs. */
async function pidOfOnly(client: TestClient): Promise<number | null> {
  const [only] = await listProcesses(client);
  if (only === undefined) return null;
  const { contents } = await client.readResource({ uri: `process://${only['process_id']}` });
  const view = JSON.parse((contents[0] as { text: string }).text) as { pid: number | null };
  return view.pid ?? null;
}

async function childPid(file: string): Promise<number> {
  const { readFileSync } = await import('node:fs');
  return waitUntil(() => Number(readFileSync(file, 'utf8')));
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { parseHttpAddress, runMcpServer } from '../../src/mcp/index.ts';
import { isAlive, waitUntil } from '../support/os.ts';
import { dataOf, eras } from './arrange.ts';
import { startProcess, viewsOf } from './http-processes.ts';
import { initialize, post, serveByHttp } from './http-stage.ts';

test.for(eras)('a client works by HTTP (%s)', async (era) => {
  await using given = await serveByHttp();
  const { client } = await given.connect(era);
  const told: unknown[] = [];

  const result = await client.callTool(
    { name: 'run_command', arguments: { command: 'echo hello' } },
    { onprogress: (progress) => void told.push(progress) },
  );

  expect(dataOf(result)).toMatchObject({ ok: true, data: { output: 'hello\n' } });
  expect(told.length).toBeGreaterThan(0);
});

test.for(eras)('a subscriber is notified over HTTP (%s)', async (era) => {
  await using given = await serveByHttp();
  const { client } = await given.connect(era);
  const updated: string[] = [];
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void updated.push(params.uri),
  );
  const { id } = await startProcess(client, 'sleep 600');
  const uri = `process://${id}`;

  if (era === 'legacy') await client.subscribeResource({ uri });
  else await client.listen({ resourceSubscriptions: [uri] });
  await client.callTool({ name: 'kill_process', arguments: { process_id: id } });

  await waitUntil(() => updated.includes(uri));
});

test.for(eras)('a cancelled call by HTTP leaves its process alive (%s)', async (era) => {
  await using given = await serveByHttp();
  const { client } = await given.connect(era);
  const cancel = new AbortController();
  const call = client.callTool(
    { name: 'run_command', arguments: { command: 'sleep 600' } },
    { signal: cancel.signal },
  );
  const pid = await waitUntil(async () => (await pidsOf(client))[0]);

  cancel.abort();
  await call.catch(() => {});
  await waitUntil(async () => (await viewsOf(client))[0]?.['status'] === 'backgrounded');
  const aliveAfterCancel = isAlive(pid);
  const code = await given.stop();

  expect({ aliveAfterCancel, aliveAfterEnd: isAlive(pid), code }).toEqual({
    aliveAfterCancel: true,
    aliveAfterEnd: false,
    code: 0,
  });
});

test('a session that ends takes its processes along', async () => {
  await using given = await serveByHttp();
  const [first, second] = [await given.connect('legacy'), await given.connect('legacy')];
  const [mine, other] = [
    await startProcess(first.client, 'sleep 600'),
    await startProcess(second.client, 'sleep 600'),
  ];

  await first.transport.terminateSession();

  await waitUntil(() => !isAlive(mine.pid));
  expect(isAlive(other.pid)).toBe(true);
  expect((await viewsOf(second.client)).map(({ id }) => id)).toEqual([other.id]);
});

test('an unused session ends by itself', async () => {
  await using given = await serveByHttp({ sessionIdle: 1 });
  const opened = await post(given.url, { body: initialize });
  const headers = { 'mcp-session-id': opened.sessionId, 'mcp-protocol-version': '2025-06-18' };

  const list = () => post(given.url, { headers, body: { jsonrpc: '2.0', id: 2, method: 'tools/list' } });

  await waitUntil(async () => (await list()).status === 404);
  expect(opened.status).toBe(200);
});

test('an address is a client in the newer era', async () => {
  await using given = await serveByHttp();
  const [red, blue, again] = [
    await given.connect('modern', { path: '/red' }),
    await given.connect('modern', { path: '/blue' }),
    await given.connect('modern', { path: '/red' }),
  ];

  const { id } = await startProcess(red.client, 'sleep 600');

  expect(await viewsOf(blue.client)).toEqual([]);
  expect((await viewsOf(again.client)).map((view) => view['id'])).toEqual([id]);
});

test.for([
  { name: 'a name that is not local', headers: { host: 'evil.example' } },
  { name: 'a page of another site', headers: { origin: 'https://evil.example' } },
  { name: 'a page of nowhere', headers: { origin: 'null' } },
])('$name is refused', async ({ headers }) => {
  await using given = await serveByHttp();

  const { status } = await post(given.url, { headers, body: initialize });

  expect(status).toBe(403);
});

test('a local page is let in', async () => {
  await using given = await serveByHttp();

  const { status } = await post(given.url, {
    headers: { origin: 'http://localhost:5173' },
    body: initialize,
  });

  expect(status).toBe(200);
});

test('a client without the token is refused', async () => {
  await using given = await serveByHttp({ token: 'open-sesame' });
  const wrong = { authorization: 'Bearer shut-sesame' };

  const refused = [
    await post(given.url, { body: initialize }),
    await post(given.url, { headers: wrong, body: initialize }),
  ];
  const { client } = await given.connect('modern', { headers: { authorization: 'Bearer open-sesame' } });

  expect(refused.map(({ status }) => status)).toEqual([401, 401]);
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
});

test.for([
  { name: 'no JSON', url: '', body: 'garbage', status: 400 },
  {
    name: 'an unknown session',
    url: '',
    body: { ...initialize, method: 'ping' },
    headers: { 'mcp-session-id': 'x' },
    status: 404,
  },
  { name: 'no handshake', url: '', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' }, status: 400 },
  { name: 'a body that is too long', url: '', body: 'x'.repeat(5 * 1024 * 1024), status: 413 },
  { name: 'another path', url: '/../etc', body: initialize, status: 404 },
  { name: 'another type', url: '', body: initialize, headers: { 'content-type': 'text/plain' }, status: 415 },
])('$name is answered $status', async ({ url, body, headers, status }) => {
  await using given = await serveByHttp();

  const answer = await post(given.url + url, { body, ...(headers !== undefined && { headers }) });
  const after = await post(given.url, { body: initialize });

  expect([answer.status, after.status]).toEqual([status, 200]);
});

test('the error for a taken port names its holder', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  const lines: string[] = [];

  const code = await runMcpServer({
    http: { address: parseHttpAddress(`127.0.0.1:${port}`) },
    signal: new AbortController().signal,
    log: (line) => lines.push(line),
  });
  holder.close();

  expect(code).toBe(1);
  expect(lines).toEqual([expect.stringContaining(`127.0.0.1:${port} is taken by pid ${process.pid}`)]);
  expect(lines[0]).toContain(`--http 127.0.0.1:${port + 1}`);
});

test.for([{ allowRemote: true }, { token: 'secret' }, {}])(
  'other machines are not served with %j',
  async (http) => {
    const run = runMcpServer({
      http: { address: parseHttpAddress('0.0.0.0:0'), ...http },
      signal: AbortSignal.abort(),
      log: () => {},
    });

    await expect(run).rejects.toThrow('Other machines can reach 0.0.0.0');
  },
);

async function pidsOf(client: Client): Promise<readonly number[]> {
  return (await viewsOf(client)).map((view) => view['pid'] as number).filter(Boolean);
}

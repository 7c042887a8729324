import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { createMcpServer, type McpServer } from '../../src/mcp/create-mcp-server.ts';
import { createHttpSessions } from '../../src/mcp/http/http-sessions.ts';
import { createNamedClients } from '../../src/mcp/http/named-clients.ts';
import { waitUntil } from '../support/os.ts';
import { createVirtualHarness } from '../support/virtual.ts';
import { type Era, eras, speaking } from './arrange.ts';
import { IDLE_MS, initialize } from './http-stage.ts';

/** Clients that come by HTTP without a port, and are taken for idle as soon as they are silent; their processes are played by hand. */
function arrange({ era = 'modern', idleMs = 1 }: { era?: Era; idleMs?: number } = {}) {
  const { supervisor, backend } = createVirtualHarness();
  /** What became of the servers, the newest last, by the names of their clients. */
  const servers = new Map<string, { asked: number; isClosed: boolean }[]>();
  const createServer = (name: string): McpServer => {
    const server = createMcpServer({ supervisor, owner: name });
    const seen = { asked: 0, isClosed: false };
    servers.set(name, [...(servers.get(name) ?? []), seen]);
    return {
      ...server,
      get isBusy() {
        seen.asked += 1;
        return server.isBusy;
      },
      close: async () => {
        await server.close();
        seen.isClosed = true;
      },
    };
  };
  const options = { idleMs, maxBodyBytes: 10_000, onError: () => {} };
  const sessions = createHttpSessions({ ...options, createServer: () => createServer('session') });
  const named = createNamedClients({ ...options, createServer });
  const fetch = (name: string, request: Request) =>
    era === 'legacy' ? sessions.fetch(request) : named.fetch(name, request);
  const clients: Client[] = [];
  return {
    backend,
    supervisor,
    latest: (name: string) => servers.get(name)?.at(-1),
    sessions: () => servers.get('session') ?? [],
    /** Says one thing. */
    speak: async (name: string) => {
      const request = new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify(initialize),
      });
      await (await fetch(name, request)).text();
    },
    connect: async (name: string) => {
      const client = new Client({ name: 'test', version: '1' }, speaking(era));
      clients.push(client);
      const transport = new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
        fetch: (url, init) => fetch(name, new Request(url, init)),
      });
      await client.connect(transport);
      return client;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(clients.map((client) => client.close()));
      await Promise.all([sessions.close(), named.close()]);
      await supervisor.shutdown();
    },
  };
}

test.for(eras)('a silent client is given up when nothing of it runs any more (%s)', async (era) => {
  await using given = arrange({ era });
  const name = era === 'legacy' ? 'session' : 'red';
  const { id } = given.supervisor.start({ command: 'serve', owner: name, background: true });
  given.backend.lastRun.comeUp();

  await given.speak(name);
  await waitUntil(() => (given.latest(name)?.asked ?? 0) > 3);
  const whileItRuns = { ...given.latest(name), status: given.supervisor.get(id)?.view().status };
  given.backend.lastRun.exit({ code: 0 });

  expect(whileItRuns).toMatchObject({ isClosed: false, status: 'backgrounded' });
  await waitUntil(() => given.latest(name)?.isClosed === true);
});

test('an address with an open stream is not idle', async () => {
  await using given = arrange();
  const red = await given.connect('red');
  await red.listen({ resourcesListChanged: true });

  await given.speak('blue');
  await waitUntil(() => given.latest('blue')?.isClosed === true);

  expect(given.latest('red')?.isClosed).toBe(false);
});

test('a session with an open stream is not idle', async () => {
  await using given = arrange({ era: 'legacy', idleMs: IDLE_MS });
  await given.connect('');
  await given.speak('');

  await waitUntil(() => given.sessions().some(({ isClosed }) => isClosed));

  expect(given.sessions().map(({ isClosed }) => isClosed)).toEqual([false, true]);
});

test('the address that is idle for longest gives way', async () => {
  await using given = arrange({ idleMs: 3_600_000 });
  const busy = await given.connect('busy');
  await busy.listen({ resourcesListChanged: true });
  given.supervisor.start({ command: 'serve', owner: 'running', background: true });
  for (const name of ['running', 'first', 'second']) await given.speak(name);

  for (let number = 5; number <= 65; number += 1) await given.speak(String(number));

  await waitUntil(() => given.latest('first')?.isClosed === true);
  const kept = ['busy', 'running', 'second'].map((name) => given.latest(name)?.isClosed);
  expect(kept).toEqual([false, false, false]);
});

test('a new address is refused where something of all others runs', async () => {
  await using given = arrange({ idleMs: 3_600_000 });
  for (let number = 1; number <= 64; number += 1) {
    const owner = String(number);
    given.supervisor.start({ command: 'serve', owner });
    await given.speak(owner);
  }

  await expect(given.connect('late')).rejects.toThrow(/503|There are 64 busy clients/);

  expect(given.supervisor.list({ live: true }).length).toBe(64);
});

test('a session that cannot be closed is reported as an error', async () => {
  const errors: string[] = [];
  await using rig = createVirtualHarness();
  const sessions = createHttpSessions({
    createServer: () => ({
      ...createMcpServer({ supervisor: rig.supervisor }),
      isBusy: false,
      close: () => Promise.reject(new Error('It is stuck.')),
    }),
    idleMs: 1,
    maxBodyBytes: 10_000,
    onError: ({ message }) => errors.push(message),
  });
  const request = new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(initialize),
  });

  await (await sessions.fetch(request)).text();

  await waitUntil(() => errors.includes('It is stuck.'));
});

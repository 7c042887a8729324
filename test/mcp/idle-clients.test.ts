import { expect, test } from 'vitest';
import { createMcpServer } from '../../src/mcp/create-mcp-server.ts';
import { createHttpSessions } from '../../src/mcp/http/http-sessions.ts';
import { createSupervisor } from '../../src/supervisor/create-supervisor.ts';
import { isAlive, waitUntil } from '../fixtures/os.ts';
import { startProcess } from './http-processes.ts';
import { IDLE_MS, initialize, serveByHttp } from './http-stage.ts';

test('an address that nobody uses is given up', async () => {
  await using given = await serveByHttp({ sessionIdleMs: IDLE_MS });
  const { client } = await given.connect('modern', { path: '/red' });
  const { pid } = await startProcess(client, 'sleep 600');

  await waitUntil(() => !isAlive(pid));
  const again = await startProcess(client, 'sleep 601');

  expect(isAlive(again.pid)).toBe(true);
});

test('an address with an open stream is not idle', async () => {
  await using given = await serveByHttp({ sessionIdleMs: IDLE_MS });
  const [red, blue] = [
    await given.connect('modern', { path: '/red' }),
    await given.connect('modern', { path: '/blue' }),
  ];
  await red.client.listen({ resourcesListChanged: true });
  const [mine, gone] = [
    await startProcess(red.client, 'sleep 600'),
    await startProcess(blue.client, 'sleep 600'),
  ];

  await waitUntil(() => !isAlive(gone.pid));

  expect(isAlive(mine.pid)).toBe(true);
});

test('the address that is idle for longest gives way', async () => {
  await using given = await serveByHttp();
  const [busy, first, second] = [
    await given.connect('modern', { path: '/busy' }),
    await given.connect('modern', { path: '/first' }),
    await given.connect('modern', { path: '/second' }),
  ];
  await busy.client.listen({ resourcesListChanged: true });
  const [kept, gone, left] = [
    await startProcess(busy.client, 'sleep 600'),
    await startProcess(first.client, 'sleep 600'),
    await startProcess(second.client, 'sleep 600'),
  ];

  for (let number = 4; number <= 65; number += 1) await given.connect('modern', { path: `/${number}` });

  await waitUntil(() => !isAlive(gone.pid));
  expect([kept, left].map(({ pid }) => isAlive(pid))).toEqual([true, true]);
});

test('a session that cannot be ended is told of', async () => {
  const errors: string[] = [];
  await using supervisor = createSupervisor({ stateDirectory: false });
  const sessions = createHttpSessions({
    createServer: (owner) => ({
      ...createMcpServer({ supervisor, owner }),
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

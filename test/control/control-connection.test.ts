import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { connectControl, streamControl } from '../../src/control/control-client.ts';
import { openConnection } from '../../src/control/control-connection.ts';
import { MAX_REQUESTS } from '../../src/control/protocol.ts';
import { tempDir, waitUntil } from '../support/os.ts';

const place = tempDir();
afterAll(() => place.remove());
const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

type Request = { readonly id: number; readonly method: string; readonly params: unknown };

let count = 0;

/** A supervisor that answers requests as `answer` says: with any number of replies. */
async function listen(answer: (request: Request) => readonly object[] = () => []) {
  count += 1;
  const path = place.file(`${count}.sock`);
  const requests: Request[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    let rest = '';
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const request = JSON.parse(line) as Request;
        requests.push(request);
        for (const reply of answer(request)) socket.write(`${JSON.stringify({ v: 1, ...reply })}\n`);
      }
    });
  }).listen(path);
  await once(server, 'listening');
  opened.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { path, requests, sockets };
}

const toRefusal = ({ code, message }: { code: string; message: string }) => `${code}: ${message}`;
const refusalOf = (asked: Promise<unknown>) => asked.then(() => 'an answer', toRefusal);

test('requests are numbered and answered in any order', async () => {
  const peer = await listen(({ id }) =>
    id === 2
      ? [
          { id: 2, result: 'b' },
          { id: 9, result: 'unrequested' },
          { id: 1, result: 'a' },
        ]
      : [],
  );
  const connection = await openConnection(peer.path);

  const both = Promise.all([
    connection.ask({ method: 'show', params: { id: 'tool_a' } }),
    connection.ask({ method: 'list', params: {} }),
  ]);
  const pendingBefore = connection.pending;

  expect(await both).toEqual(['a', 'b']);
  expect([pendingBefore, connection.pending]).toEqual([2, 0]);
  expect(peer.requests).toEqual([
    { v: 1, id: 1, method: 'show', params: { id: 'tool_a' } },
    { v: 1, id: 2, method: 'list', params: {} },
  ]);
  connection.close();
});

test('a refusal is an error with the code of the supervisor', async () => {
  const peer = await listen(({ id }) => [{ id, error: { code: 'not-found', message: 'There is none.' } }]);
  const connection = await openConnection(peer.path);

  expect(await refusalOf(connection.ask({ method: 'list', params: {} }))).toBe('not-found: There is none.');
  expect([connection.isClosed, connection.pending]).toEqual([false, 0]);
  connection.close();
});

test.each([
  [
    'an error without a number',
    '{"v":1,"id":null,"error":{"code":"protocol","message":"Too many."}}',
    'protocol: Too many.',
  ],
  [
    'another protocol',
    'moin',
    'protocol: No supervisor of troupe listens on this control socket: its reply is not valid JSON.',
  ],
  [
    'null',
    'null',
    'protocol: No supervisor of troupe listens on this control socket: its reply is not valid.',
  ],
  [
    'a number',
    '7',
    'protocol: No supervisor of troupe listens on this control socket: its reply is not valid.',
  ],
  [
    'a reply without a number',
    '{"v":1,"result":1}',
    'protocol: No supervisor of troupe listens on this control socket: its reply is not valid.',
  ],
  [
    'another version',
    '{"v":2,"id":1,"result":1}',
    'protocol: This program speaks version 1 of the control protocol, the other side version 2. Use the same troupe on both sides: end the older program, or install the version it was started with.',
  ],
])('%s ends the connection and all its requests', async (_, line, refusal) => {
  const peer = await listen();
  const connection = await openConnection(peer.path);
  const asked = [1, 2].map(() => refusalOf(connection.ask({ method: 'list', params: {} })));
  await waitUntil(() => peer.requests.length === 2);

  peer.sockets[0]?.write(`${line}\n`);

  expect(await Promise.all(asked)).toEqual([refusal, refusal]);
  expect(connection.isClosed).toBe(true);
  expect(await refusalOf(connection.ask({ method: 'list', params: {} }))).toBe(refusal);
});

test('requests of a connection that ends are told where it went', async () => {
  const peer = await listen();
  const connection = await openConnection(peer.path);
  const asked = refusalOf(connection.ask({ method: 'list', params: {} }));
  await waitUntil(() => peer.requests.length === 1);

  peer.sockets[0]?.destroy();

  expect(await asked).toBe(`unreachable: The supervisor at ${peer.path} ended the connection.`);
});

test('requests of a connection that is closed here are told', async () => {
  const peer = await listen();
  const connection = await openConnection(peer.path);
  const asked = refusalOf(connection.ask({ method: 'list', params: {} }));

  connection.close();

  expect(await asked).toBe(`unreachable: The connection to ${peer.path} was closed here.`);
});

test('a request whose deadline passes is cancelled', async () => {
  const peer = await listen();
  const connection = await openConnection(peer.path);

  const refusal = await refusalOf(connection.ask({ method: 'list', params: {} }, { deadlineMs: 20 }));
  await waitUntil(() => peer.requests.length === 2);

  expect(refusal).toBe(
    `unreachable: The supervisor at ${peer.path} did not answer within 20 ms: it is busy or halted. The request may still be executed once it continues: check before you try again.`,
  );
  expect(peer.requests[1]).toEqual({ v: 1, id: 2, method: 'cancel', params: { request: 1 } });
  expect([connection.pending, connection.isClosed]).toEqual([0, false]);
  connection.close();
});

test('an aborted request is cancelled, and rejects with the reason', async () => {
  const peer = await listen();
  const connection = await openConnection(peer.path);
  const abort = new AbortController();
  const asked = connection.ask({ method: 'list', params: {} }, { signal: abort.signal });

  abort.abort('enough');

  expect(await asked.catch((reason) => reason)).toBe('enough');
  await waitUntil(() => peer.requests.length === 2);
  expect(peer.requests.map(({ method }) => method)).toEqual(['list', 'cancel']);
  expect(connection.pending).toBe(0);
  const late = connection.ask({ method: 'list', params: {} }, { signal: abort.signal });
  expect(await late.catch((reason) => reason)).toBe('enough');
  expect(peer.requests).toHaveLength(2);
  connection.close();
});

test('an answered request is not cancelled later', async () => {
  const peer = await listen(({ id }) => [{ id, result: id }]);
  const connection = await openConnection(peer.path);
  const abort = new AbortController();

  await connection.ask({ method: 'list', params: {} }, { signal: abort.signal, deadlineMs: 10_000 });
  abort.abort();
  await connection.ask({ method: 'hello', params: {} });

  expect(peer.requests.map(({ method }) => method)).toEqual(['list', 'hello']);
  connection.close();
});

test('a path that is no socket is not connected to', async () => {
  writeFileSync(place.file('plain'), '');

  expect(await refusalOf(openConnection(place.file('plain')))).toBe(
    `protocol: No supervisor of troupe listens on this control socket: ${place.file('plain')} is not a socket.`,
  );
});

test('a socket that is gone is unreachable', async () => {
  expect(await refusalOf(openConnection(place.file('gone')))).toBe(
    `unreachable: The supervisor at ${place.file('gone')} cannot be reached: no process listens there any more.`,
  );
  expect(await refusalOf(openConnection(place.file('plain/x')))).toMatch(
    /^unreachable: The supervisor at .*plain\/x cannot be reached: ENOTDIR: .*\.$/,
  );
});

test('a supervisor that accepts no connection is busy or halted', async () => {
  const path = place.file('busy.sock');
  const server = createServer().listen({ path, backlog: 1 });
  await once(server, 'listening');

  // All connect before the server can accept one.
  const connected = await Promise.allSettled(Array.from({ length: 8 }, () => openConnection(path)));
  for (const each of connected) if (each.status === 'fulfilled') each.value.close();
  server.close();

  const refusals = connected.flatMap((each) => (each.status === 'rejected' ? [toRefusal(each.reason)] : []));
  expect(new Set(refusals)).toEqual(
    new Set([
      `unreachable: The supervisor at ${path} cannot be reached: it is busy or halted, and accepts no connection.`,
    ]),
  );
});

test('a client is full one request before the limit', async () => {
  const peer = await listen();
  const client = await connectControl(peer.path);
  const isFull: boolean[] = [];
  const asked: Promise<unknown>[] = [];

  for (let n = 1; n < MAX_REQUESTS; n += 1) {
    isFull.push(client.isFull);
    asked.push(refusalOf(client.call('list', {})));
  }

  expect(isFull).not.toContain(true);
  expect(client.isFull).toBe(true);
  expect(client.isClosed).toBe(false);
  client.close();
  expect(client.isClosed).toBe(true);
  await Promise.all(asked);
});

test('a long call lasts while the supervisor responds, and ends when it does not', async () => {
  let beats = 0;
  const peer = await listen(({ id, method }) => {
    if (method !== 'hello') return [];
    beats += 1;
    return beats <= 3 ? [{ id, result: null }] : [];
  });
  const client = await connectControl(peer.path);

  const refusal = await refusalOf(client.call('wait', { id: 'tool_a' }, { pulseMs: 30 }));

  expect(refusal).toBe(
    `unreachable: The supervisor at ${peer.path} did not answer within 30 ms: it is busy or halted. The request may still be executed once it continues: check before you try again.`,
  );
  expect(beats).toBeGreaterThanOrEqual(1);
  client.close();
});

test('an answered long call asks for life no more', async () => {
  const peer = await listen(({ id }) => [{ id, result: 'done' }]);
  const client = await connectControl(peer.path);
  const cleared = vi.spyOn(globalThis, 'clearInterval');

  expect(await client.call('wait', { id: 'tool_a' }, { pulseMs: 600_000 })).toBe('done');

  await waitUntil(() => cleared.mock.calls.length === 1);
  cleared.mockRestore();
  client.close();
});

test('a stream yields its items and ends with the result', async () => {
  const peer = await listen(({ id }) => [
    ...Array.from({ length: 40 }, (_, item) => ({ id, item })),
    { id, result: null },
  ]);

  const items = await Array.fromAsync(
    streamControl(peer.path, { method: 'follow', params: { id: 'tool_a', from: 3 } }),
  );

  expect(items).toEqual(Array.from({ length: 40 }, (_, item) => item));
  expect(peer.requests).toMatchObject([{ method: 'follow', params: { id: 'tool_a', from: 3 } }]);
  await waitUntil(() => peer.sockets[0]?.destroyed);
});

test('a stream that fails yields what came before', async () => {
  const peer = await listen(({ id }) => [
    { id, item: 'a' },
    { id, error: { code: 'not-found', message: 'There is none.' } },
  ]);
  const items: unknown[] = [];

  const refusal = await refusalOf(
    (async () => {
      for await (const item of streamControl(peer.path, { method: 'follow', params: { id: 'tool_a' } }))
        items.push(item);
    })(),
  );

  expect([items, refusal]).toEqual([['a'], 'not-found: There is none.']);
});

test('a stream that is left closes its connection', async () => {
  const peer = await listen(({ id }) => [{ id, item: 'a' }]);

  for await (const _ of streamControl(peer.path, { method: 'follow', params: { id: 'tool_a' } })) break;

  await waitUntil(() => peer.sockets[0]?.destroyed);
});

test('an aborted stream does not connect', async () => {
  const stream = streamControl('/nowhere', {
    method: 'follow',
    params: { id: 'tool_a' },
    signal: AbortSignal.abort('enough'),
  });

  expect(await stream.next().catch((reason: unknown) => reason)).toBe('enough');
});

test('an abort ends a stream', async () => {
  const peer = await listen(({ id }) => [{ id, item: 'a' }]);
  const abort = new AbortController();
  const { signal } = abort;
  const stream = streamControl(peer.path, { method: 'follow', params: { id: 'tool_a' }, signal });
  await stream.next();

  const next = stream.next().catch((reason: unknown) => reason);
  abort.abort('enough');

  expect(await next).toBe('enough');
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { waitUntil } from '../support/os.ts';
import { type ControlStage, connectionCount, openControlStage, openRawClient } from './arrange.ts';

/** Expects that all connections are closed and that a new client is answered as fast as usual. */
async function expectUnharmed({ supervisor, socketPath, idle, state }: ControlStage): Promise<void> {
  state.close();
  await waitUntil(() => connectionCount(socketPath) === 0, { what: 'all connections are closed' });
  const client = await openRawClient(socketPath);
  const beganMs = performance.now();
  const reply = await client.ask(1, 'show', { id: idle.id });
  const tookMs = performance.now() - beganMs;
  client.socket.destroy();
  await waitUntil(() => connectionCount(socketPath) === 0, { what: 'no connection is left' });
  expect(reply).toMatchObject({ result: { view: { id: idle.id, status: 'backgrounded' } } });
  expect(tookMs).toBeLessThan(500);
  expect(supervisor.get(idle.id)?.status).toBe('backgrounded');
}

const line = fc.oneof(
  fc.json(),
  fc.record({ v: fc.constantFrom(0, 1, 2, '1'), id: fc.anything(), method: fc.anything() }).map(toText),
  fc
    .record({
      v: fc.constant(1),
      id: fc.nat(),
      method: fc.constantFrom(
        'list',
        'show',
        'read',
        'follow',
        'wait',
        'write',
        'start',
        'cancel',
        '__proto__',
      ),
      params: fc.oneof(fc.anything(), fc.object()),
    })
    .map(toText),
);

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  line.map((text) => Buffer.from(`${text}\n`)),
  line.map((text) => Buffer.from(text)),
);

function toText(value: unknown): string {
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each)) ?? '';
}

test('no bytes whatsoever harm the supervisor', async () => {
  await using stage = await openControlStage();

  await fc.assert(
    fc.asyncProperty(fc.array(bytes, { maxLength: 12 }), fc.boolean(), async (pieces, goesOrderly) => {
      const client = await openRawClient(stage.socketPath);
      for (const piece of pieces) client.send(piece);
      if (goesOrderly) client.socket.end();
      else client.socket.destroy();
      await client.closed;
    }),
    { numRuns: 150 },
  );

  await expectUnharmed(stage);
});

test('requests are understood however their bytes are cut', async () => {
  await using stage = await openControlStage();
  const text = Array.from({ length: 20 }, (_, n) =>
    toText({ v: 1, id: n, method: 'show', params: { id: stage.idle.id } }),
  ).join('\n');
  const whole = Buffer.from(`${text}\n`);

  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 }), async (sizes) => {
      const client = await openRawClient(stage.socketPath);
      for (let at = 0, n = 0; at < whole.byteLength; n += 1) {
        const size = sizes[n % sizes.length] ?? 1;
        client.send(whole.subarray(at, at + size));
        at += size;
      }
      await waitUntil(() => client.replies.length === 20);
      expect(client.replies.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, n) => n));
      client.socket.destroy();
    }),
    { numRuns: 20 },
  );

  await expectUnharmed(stage);
});

test.each([
  ['a line of 2 MiB', Buffer.alloc(2 * 1024 * 1024, 'a'), /longer than 1048576 bytes/],
  ['what is no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x0a]), /takes JSON lines/],
  ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n'), /takes JSON lines/],
])('%s is answered in words and hung up on', async (_, sent, words) => {
  await using stage = await openControlStage();
  const client = await openRawClient(stage.socketPath);

  client.send(sent);
  const reply = await client.until(({ id }) => id === null);
  await client.closed;

  expect(reply).toMatchObject({ v: 1, error: { code: 'protocol', message: expect.stringMatching(words) } });
  await expectUnharmed(stage);
});

test('two hundred clients at once are all served', async () => {
  await using stage = await openControlStage();

  const clients = await Promise.all(Array.from({ length: 200 }, () => openRawClient(stage.socketPath)));
  const vanishing = clients.slice(0, 100);
  for (const client of vanishing) {
    client.send(toText({ v: 1, id: 1, method: 'wait', params: { id: stage.idle.id } }));
    client.send('\n{"v":1,"id":2,"meth');
  }
  const replies = await Promise.all(clients.slice(100).map((client) => client.ask(1, 'list')));
  for (const client of clients) client.socket.destroy();

  expect(replies.every((reply) => 'result' in reply && (reply.result as unknown[]).length === 1)).toBe(true);
  await expectUnharmed(stage);
});

test('a client above the limit is refused with the limit', async () => {
  await using stage = await openControlStage();
  const clients = await Promise.all(Array.from({ length: 256 }, () => openRawClient(stage.socketPath)));

  const refused = await openRawClient(stage.socketPath);
  const reply = await refused.until(({ id }) => id === null);
  await refused.closed;

  expect(reply).toMatchObject({ error: { message: expect.stringContaining('256 clients') } });
  for (const client of clients) client.socket.destroy();
  await expectUnharmed(stage);
});

test('more requests than are taken are refused one by one', async () => {
  await using stage = await openControlStage();
  const client = await openRawClient(stage.socketPath);

  for (let id = 0; id < 70; id += 1) {
    client.send(`${toText({ v: 1, id, method: 'wait', params: { id: stage.idle.id } })}\n`);
  }
  await client.until(({ id }) => id === 69);

  const refused = client.replies.filter((reply) => 'error' in reply).map(({ id }) => id);
  expect(refused).toEqual([64, 65, 66, 67, 68, 69]);
  client.socket.destroy();
  await expectUnharmed(stage);
});

test('clients that ask and never listen cost bounded memory', async () => {
  await using stage = await openControlStage();
  const { supervisor, socketPath } = stage;
  const flood = supervisor.start({ command: 'head -c 50000000 /dev/zero | tr "\\0" x', background: true });
  const clients = await Promise.all(Array.from({ length: 8 }, () => openRawClient(socketPath)));
  const beforeBytes = heldBytes();
  for (const client of clients) {
    client.socket.pause();
    client.send(`${toText({ v: 1, id: 1, method: 'follow', params: { id: flood.id } })}\n`);
    for (let id = 2; id < 2_000; id += 1) client.send(`${toText({ v: 1, id, method: 'list' })}\n`);
  }

  const end = await flood.ended;

  expect(end).toMatchObject({ status: 'completed', output: { bytes: 50_000_000 } });
  // Unread output would be 500 MB.
  expect(heldBytes() - beforeBytes).toBeLessThan(120_000_000);
  for (const client of clients) client.socket.destroy();
  await expectUnharmed(stage);
});

test('a slow reader gets what is kept and the count of the rest', async () => {
  await using stage = await openControlStage();
  const flood = stage.supervisor.start({
    command: 'head -c 20000000 /dev/zero | tr "\\0" x; echo; echo done',
    background: true,
    maxBufferBytes: 1024 * 1024,
    maxLogBytes: 4 * 1024 * 1024,
  });
  let given = 0;
  let missing = 0;
  let last = '';

  for await (const { bytes, droppedBytes } of stage.state.follow(flood.id, { from: 0 })) {
    given += bytes.byteLength;
    missing += droppedBytes;
    last = `${last}${Buffer.from(bytes).toString()}`.slice(-100);
    // The first piece is held until all other clients have come and gone.
    if (given === bytes.byteLength) await flood.ended;
  }

  expect(given + missing).toBe(20_000_006);
  expect(missing).toBeGreaterThan(0);
  expect(last.endsWith('\ndone\n')).toBe(true);
  await expectUnharmed(stage);
});

function heldBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

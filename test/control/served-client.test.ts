import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { TroupeError } from '../../src/config/troupe-error.ts';
import { MAX_REQUEST_BYTES } from '../../src/control/protocol.ts';
import { type AnswerRequest, createFairScheduler, ServedClient } from '../../src/control/served-client.ts';
import { tempDir, waitUntil } from '../support/os.ts';
import { turn } from '../support/virtual.ts';

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

/** Serves one client with `answer`. */
async function serve(answer: AnswerRequest) {
  const place = tempDir();
  const served = Promise.withResolvers<ServedClient>();
  let closedCount = 0;
  const server = createServer((socket) => {
    const onClosed = () => {
      closedCount += 1;
    };
    const deps = { answer, scheduler: createFairScheduler(), onClosed };
    served.resolve(new ServedClient(socket, deps));
  }).listen(place.file('s'));
  await once(server, 'listening');
  const socket: Socket = connect(place.file('s'));
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  const ended = once(socket, 'close');
  opened.push(() => {
    socket.destroy();
    server.close();
    place.remove();
  });
  const replies = () =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    served: await served.promise,
    socket,
    ended,
    replies,
    closedCount: () => closedCount,
    send: (...requests: object[]) =>
      void socket.write(requests.map((each) => `${JSON.stringify({ v: 1, ...each })}\n`).join('')),
    untilReplies: (count: number) => waitUntil(() => (replies().length >= count ? replies() : null)),
  };
}

test('a request is answered with what its method and params say', async () => {
  const client = await serve(({ method, params }) => [method, params]);

  client.send({ id: 3, method: 'show', params: { id: 'tool_a' } });

  expect(await client.untilReplies(1)).toEqual([{ v: 1, id: 3, result: ['show', { id: 'tool_a' }] }]);
});

test.each([
  ['nothing', () => undefined, { result: null }],
  [
    'an error of troupe',
    () => {
      throw new TroupeError({ code: 'not-found', message: 'There is none.' });
    },
    { error: { code: 'not-found', message: 'There is none.' } },
  ],
  [
    'another error',
    () => Promise.reject(new Error('out of luck')),
    {
      error: { code: 'internal', message: 'The supervisor failed to execute this request: out of luck.' },
    },
  ],
  [
    'a result that JSON cannot hold',
    () => 1n,
    {
      error: {
        code: 'internal',
        message: 'The supervisor failed to execute this request: Do not know how to serialize a BigInt.',
      },
    },
  ],
])('%s is an answer', async (_, answer, reply) => {
  const client = await serve(answer);

  client.send({ id: 3, method: 'list' });

  expect(await client.untilReplies(1)).toEqual([{ v: 1, id: 3, ...reply }]);
});

test('items come before the result', async () => {
  const client = await serve(async (_, port) => {
    await port.send('a');
    await port.send('b');
    return 'c';
  });

  client.send({ id: 3, method: 'list' });

  expect(await client.untilReplies(3)).toEqual([
    { v: 1, id: 3, item: 'a' },
    { v: 1, id: 3, item: 'b' },
    { v: 1, id: 3, result: 'c' },
  ]);
});

/** More than the supervisor holds for a client that does not read. */
const large = 'x'.repeat(1024 * 1024);

test('an item waits until a slow client has read', async () => {
  const sent: string[] = [];
  const isWaiting = Promise.withResolvers<void>();
  const client = await serve(async (_, port) => {
    const first = port.send(large).then(() => sent.push('first'));
    await turn();
    isWaiting.resolve();
    await first;
    await port.send('small');
    sent.push('second');
  });
  client.socket.pause();

  client.send({ id: 3, method: 'list' });
  await isWaiting.promise;
  const sentBefore = [...sent];
  client.socket.resume();
  const replies = await client.untilReplies(3);

  expect(sentBefore).toEqual([]);
  expect(sent).toEqual(['first', 'second']);
  expect(replies.slice(1)).toEqual([
    { v: 1, id: 3, item: 'small' },
    { v: 1, id: 3, result: null },
  ]);
});

test('an item that waits for a client is given up when the client leaves', async () => {
  const failures: string[] = [];
  const isWaiting = Promise.withResolvers<void>();
  const client = await serve((_, port) => {
    const sending = port.send(large).catch(({ name }) => failures.push(name));
    isWaiting.resolve();
    return sending;
  });
  client.socket.pause();
  client.send({ id: 3, method: 'list' });
  await isWaiting.promise;

  client.socket.destroy();

  await waitUntil(() => failures.length === 1);
  expect(failures).toEqual(['AbortError']);
});

test('a number in use is refused', async () => {
  const client = await serve(() => new Promise(() => {}));

  client.send({ id: 3, method: 'list' }, { id: 3, method: 'list' });

  expect(await client.untilReplies(1)).toEqual([
    {
      v: 1,
      id: 3,
      error: {
        code: 'protocol',
        message: 'Request 3 is still under way: give each request a number of its own.',
      },
    },
  ]);
});

test('the 65th request at the same time is refused', async () => {
  const client = await serve(() => new Promise(() => {}));

  client.send(...Array.from({ length: 65 }, (_, id) => ({ id, method: 'list' })));

  expect(await client.untilReplies(1)).toEqual([
    {
      v: 1,
      id: 64,
      error: {
        code: 'protocol',
        message:
          '64 requests of this client are under way, and no more are taken: wait for an answer, or open another connection.',
      },
    },
  ]);
});

test('a cancelled request learns it and is not answered', async () => {
  const aborted: string[] = [];
  const client = await serve((_, { signal, send }) => {
    const answer = Promise.withResolvers<string>();
    signal.addEventListener('abort', () => {
      aborted.push('aborted');
      send('late').catch(({ name }) => {
        aborted.push(name);
        answer.resolve('late');
      });
    });
    return answer.promise;
  });

  client.send(
    { id: 1, method: 'list' },
    { id: 2, method: 'cancel', params: { request: 1 } },
    { id: 3, method: 'cancel', params: { request: 9 } },
  );

  expect(await client.untilReplies(2)).toEqual([
    { v: 1, id: 2, result: true },
    { v: 1, id: 3, result: false },
  ]);
  expect(await waitUntil(() => (aborted.length === 2 ? aborted : null))).toEqual(['aborted', 'AbortError']);
});

test('a cancelled request that fails is not answered', async () => {
  const client = await serve(
    (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  );

  client.send({ id: 1, method: 'list' }, { id: 2, method: 'cancel', params: { request: 1 } });
  await client.untilReplies(1);
  client.send({ id: 4, method: 'cancel', params: { request: 1 } });

  expect(await client.untilReplies(2)).toEqual([
    { v: 1, id: 2, result: true },
    { v: 1, id: 4, result: false },
  ]);
});

test('a line that is too long ends the connection with an explanation', async () => {
  const client = await serve(() => 'never');

  client.socket.write('a'.repeat(MAX_REQUEST_BYTES + 1));
  await client.ended;

  expect(client.replies()).toEqual([
    {
      v: 1,
      id: null,
      error: {
        code: 'protocol',
        message: 'A line is longer than 1048576 bytes: write large input in several requests.',
      },
    },
  ]);
  await waitUntil(() => client.closedCount() === 1);
});

test('a malformed line ends the connection and all later lines are ignored', async () => {
  const executed: string[] = [];
  const client = await serve(({ method }) => void executed.push(method));

  client.socket.write('moin\n{"v":1,"id":1,"method":"list"}\n');
  await client.ended;

  expect(executed).toEqual([]);
  expect(client.replies()).toMatchObject([{ id: null, error: { code: 'protocol' } }]);
});

test('input that arrives after a malformed line is discarded', async () => {
  const executed: string[] = [];
  const client = await serve(({ method }) => void executed.push(method));
  // More than the system hands over in one piece.
  const padding = ' '.repeat(512 * 1024);

  client.socket.write(`moin\n{"v":1,"id":1,"method":"list"${padding}}\n`);
  await waitUntil(() => client.closedCount() === 1);

  expect(executed).toEqual([]);
  expect(client.replies()).toMatchObject([{ id: null, error: { code: 'protocol' } }]);
});

test('a client that leaves aborts its requests', async () => {
  const signals: AbortSignal[] = [];
  const client = await serve((_, { signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  });
  client.send({ id: 1, method: 'list' }, { id: 2, method: 'list' });
  await waitUntil(() => signals.length === 2);

  client.socket.destroy();
  await waitUntil(() => client.closedCount() === 1);

  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test('a closed client sees the end of the connection', async () => {
  const client = await serve(() => new Promise(() => {}));
  client.send({ id: 1, method: 'list' });

  client.served.close();
  await client.ended;

  expect(client.replies()).toEqual([]);
});

test('clients are served in turns', async () => {
  const scheduler = createFairScheduler();
  const order: string[] = [];
  const client = (name: string, count: number) => () => {
    order.push(name);
    return order.filter((each) => each === name).length < count;
  };

  scheduler.join(client('a', 3));
  scheduler.join(client('b', 2));
  const left = client('c', 1);
  scheduler.join(left);
  scheduler.leave(left);
  await waitUntil(() => order.length === 5);

  expect(order).toEqual(['a', 'b', 'a', 'b', 'a']);
});

test('requests hold the event loop for a short time only', async () => {
  const scheduler = createFairScheduler();
  let served = 0;
  let servedAtTurn = 0;
  scheduler.join(() => {
    served += 1;
    const untilMs = performance.now() + 1;
    while (performance.now() < untilMs);
    return served < 20;
  });

  const look = () => {
    servedAtTurn = served;
  };
  setImmediate(() => setImmediate(look));
  await waitUntil(() => served === 20);

  expect(servedAtTurn).toBeLessThan(20);
});

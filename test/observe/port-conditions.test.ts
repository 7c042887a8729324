import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { httpCondition, portCondition, portFreeCondition } from '../../src/observe/wait/port-conditions.ts';
import type { WaitCondition } from '../../src/observe/wait/wait-condition.ts';
import type { ProcessHandle } from '../../src/process/process-handle.ts';
import { createVirtualClock } from '../../src/testing/index.ts';
import { waitUntil } from '../support/os.ts';

test('a request ends with the wait that made it', async () => {
  const given = await arrange(() => {});
  const cancel = given.watch(httpCondition(given.url, given));
  await waitUntil(() => given.connections === 1);

  cancel();

  await waitUntil(() => given.connections === 0);
  expect(given.clock.pending).toBe(0);
});

test('the last request ends with the wait, too', async () => {
  const given = await arrange(() => {});
  const condition = httpCondition(given.url, given);
  const cancel = given.watch(condition);
  const settled = condition.settled?.();
  await waitUntil(() => given.connections === 2);

  cancel();

  expect(await settled).toBe(false);
  await waitUntil(() => given.connections === 0);
  expect(given.clock.pending).toBe(0);
});

test('an answered request keeps no connection', async () => {
  const given = await arrange((_, answer) => answer.end('hello'));
  const condition = httpCondition(given.url, given);
  const cancel = given.watch(condition);
  await waitUntil(() => given.held > 0);

  cancel();
  const settled = await condition.settled?.();

  expect(settled).toBe(false);
  await waitUntil(() => given.connections === 0);
  expect(given.accepted).toBe(1);
  expect(given.clock.pending).toBe(0);
});

test.each([
  ['port', portCondition],
  ['portFree', portFreeCondition],
] as const)('a wait for %s leaves no timer behind', async (_name, toCondition) => {
  const given = await arrange(() => {});
  const cancel = given.watch(toCondition(given.port, given));
  await waitUntil(() => given.clock.pending > 0);

  cancel();
  given.clock.advance(1_000);

  expect(given.clock.pending).toBe(0);
});

/** A server of this very process, which is the tree, too. */
async function arrange(answer: RequestListener) {
  const clock = createVirtualClock();
  const handle = { members: async () => [{ pid: process.pid }] } as unknown as ProcessHandle;
  const seen = { connections: 0, accepted: 0, held: 0 };
  // Without its own time limit: who leaves the connection open is to be found out.
  const server = createServer({ keepAliveTimeout: 60_000 }, answer).on('connection', (socket) => {
    seen.connections += 1;
    seen.accepted += 1;
    socket.on('close', () => {
      seen.connections -= 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(seen, {
    clock,
    handle,
    port,
    url: `http://127.0.0.1:${port}/`,
    watch: (condition: WaitCondition) =>
      condition.watch({
        holds: () => {
          seen.held += 1;
        },
        impossible: (why) => expect.fail(why),
      }),
  });
}

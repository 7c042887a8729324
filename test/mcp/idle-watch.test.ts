import { expect, test } from 'vitest';
import { createIdleWatch } from '../../src/mcp/http/idle-watch.ts';
import { waitUntil } from '../support/os.ts';

const request = new Request('http://127.0.0.1/mcp');

/** A watch whose time never comes within a test. */
function arrange() {
  const watch = createIdleWatch({ idleMs: 3_600_000, isBusy: () => false, onIdle: () => {} });
  return { watch, [Symbol.dispose]: () => watch.stop() };
}

test('a client is busy until its answer is read', async () => {
  using given = arrange();

  const response = await given.watch.during(request, async () => new Response('answer'));
  const whileUnread = given.watch.isIdle;
  await response.text();

  expect(whileUnread).toBe(false);
  await waitUntil(() => given.watch.isIdle);
});

test('a client is idle after an answer without a body', async () => {
  using given = arrange();

  await given.watch.during(request, async () => new Response(null, { status: 202 }));

  expect(given.watch.isIdle).toBe(true);
});

test('a client is idle after an answer that fails', async () => {
  using given = arrange();

  const answer = given.watch.during(request, () => Promise.reject(new Error('broken')));

  await expect(answer).rejects.toThrow('broken');
  expect(given.watch.isIdle).toBe(true);
});

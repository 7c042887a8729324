import { expect, test } from 'vitest';
import { createRealClock } from '../../../src/clock/real-clock.ts';
import { findFreePort, holdPort, run, watch } from './rig.ts';

/** Answers with each status of the list in turn, the last one from then on; `hang` answers nothing. */
const serve = `
  const [port, host, ...statuses] = process.argv.slice(1);
  require('http').createServer((request, response) => {
    const status = statuses.length > 1 ? statuses.shift() : statuses[0];
    if (status === 'hang') return;
    response.writeHead(Number(status), { location: 'http://127.0.0.1:1/' });
    response.end('x'.repeat(100000));
  }).listen(Number(port), host);
`;

test.each([['200'], ['204'], ['302'], ['503', '404', '500', '200']])(
  'an address is ready that answers %s %s %s %s',
  async (...statuses) => {
    const port = await findFreePort();
    const child = run(serve, [String(port), '127.0.0.1', ...statuses]);

    const verdict = watch({ http: `http://127.0.0.1:${port}/health` }, { pids: [child.pid] });

    expect(await verdict.first).toBe('ready');
  },
);

test('the deadline tells the last answer', async () => {
  const port = await findFreePort();
  const child = run(serve, [String(port), '127.0.0.1', '503']);
  const http = `http://localhost:${port}/`;
  const up = watch({ port }, { pids: [child.pid] });
  await up.first;

  const verdict = watch({ http, within: 1_500 }, { pids: [child.pid] });

  expect(await verdict.first).toBe(
    `not ready within 1.5s: it still waits for ${http} to answer 2xx or 3xx (last: 503)`,
  );
});

test('an answer that never comes is given up', async () => {
  const port = await findFreePort();
  const child = run(serve, [String(port), '127.0.0.1', 'hang', '200']);

  const verdict = watch({ http: `http://127.0.0.1:${port}/` }, { pids: [child.pid] });

  expect(await verdict.first).toBe('ready');
});

test("somebody else's server is not asked and fails it", async () => {
  const port = await holdPort('127.0.0.1');
  const child = run('setInterval(() => {}, 1000)');

  const verdict = watch({ http: `http://127.0.0.1:${port}/` }, { pids: [child.pid] });

  expect(await verdict.first).toMatch(`port ${port} is held by another process, pid ${process.pid} (`);
});

test('a stranger who might answer in its place fails it', async () => {
  const port = await holdPort('127.0.0.1');
  const child = run(serve, [String(port), '::1', '200']);
  const own = watch({ port }, { pids: [child.pid] });
  const ownVerdict = await own.first;

  const named = watch({ http: `http://localhost:${port}/` }, { pids: [child.pid] });
  const exact = watch({ http: `http://[::1]:${port}/` }, { pids: [child.pid] });

  // The server may not be there yet at the first look, and then the stranger is all there is.
  expect(ownVerdict).toMatch(/^(ready|port \d+ is held)/);
  expect(await named.first).toMatch(`pid ${process.pid} (`);
  expect(await exact.first).toBe('ready');
});

test('a cancelled request leaves nothing behind', async () => {
  const port = await findFreePort();
  const child = run(serve, [String(port), '127.0.0.1', 'hang']);
  const up = watch({ port }, { pids: [child.pid] });
  await up.first;
  const clock = createRealClock();

  const verdict = watch({ http: `http://127.0.0.1:${port}/` }, { pids: [child.pid], clock });
  verdict.cancel();
  await new Promise((resolve) => setImmediate(resolve));

  expect(verdict.said).toEqual([]);
});

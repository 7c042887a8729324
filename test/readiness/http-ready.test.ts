import type { ChildProcess } from 'node:child_process';
import { expect, test } from 'vitest';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { waitUntil } from '../support/os.ts';
import { findFreePort, holdPort, run, watch } from './rig.ts';

/** Answers with each status of the list in turn, the last one from then on; `hang` answers nothing. */
const serve = `
  const [port, host, ...statuses] = process.argv.slice(1);
  require('http').createServer((request, response) => {
    const status = statuses.length > 1 ? statuses.shift() : statuses[0];
    console.log('asked');
    if (status === 'hang') {
      return response.on('close', () => console.log('gone'));
    }
    response.writeHead(Number(status), { location: 'http://127.0.0.1:1/' });
    response.end('x'.repeat(100000));
  }).listen(Number(port), host);
`;

/** Answers only the first request, and only once it reads from stdin. */
const slow = `
  let first = null;
  require('http').createServer((request, response) => {
    console.log('asked');
    if (first !== null) return;
    first = response;
    response.on('close', () => console.log(response.writableEnded ? 'answered' : 'gone before'));
  }).listen(Number(process.argv[1]), '127.0.0.1');
  process.stdin.once('data', () => first.end('at last'));
`;

function printedBy(child: ChildProcess): () => string {
  let printed = '';
  child.stdout?.on('data', (data) => {
    printed += data;
  });
  return () => printed;
}

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
  const printed = printedBy(child);
  const clock = createVirtualClock();

  // Over before a request without an answer yet would be the last word.
  const verdict = watch({ http, within: 1_500 }, { clock, pids: [child.pid] });
  // The virtual clock runs slower than real time: a server that was asked twice has answered once.
  await waitUntil(() => {
    clock.advance(1);
    return printed().startsWith('asked\nasked\n');
  });
  clock.advance(1_500);

  expect(await verdict.first).toBe(
    `not ready within 1.5s: it still waits for ${http} to answer 2xx or 3xx (last: 503)`,
  );
});

test('an answer may take all the time that readiness has', async () => {
  const port = await findFreePort();
  const child = run(slow, [String(port)]);
  const printed = printedBy(child);
  await watch({ port }, { pids: [child.pid] }).first;
  const clock = createVirtualClock();

  const verdict = watch({ http: `http://127.0.0.1:${port}/`, within: 60_000 }, { clock, pids: [child.pid] });
  for (const requests of [1, 2, 3]) {
    await waitUntil(() => {
      clock.advance(5);
      return printed().split('asked').length > requests;
    });
  }
  child.stdin?.write('answer the first\n');

  expect(await verdict.first).toBe('ready');
  expect(printed()).not.toContain('gone before');
});

test('an answer that never comes is asked for again', async () => {
  const port = await findFreePort();
  const child = run(serve, [String(port), '127.0.0.1', 'hang', '200']);

  const verdict = watch({ http: `http://127.0.0.1:${port}/` }, { pids: [child.pid] });

  expect(await verdict.first).toBe('ready');
});

test('a server of another process is not asked and fails readiness', async () => {
  const port = await holdPort('127.0.0.1');
  const child = run('setInterval(() => {}, 1000)');

  const verdict = watch({ http: `http://127.0.0.1:${port}/` }, { pids: [child.pid] });

  expect(await verdict.first).toMatch(`port ${port} is held by another process, pid ${process.pid} (`);
});

test('a stranger who might answer in its place fails it', async () => {
  const port = await findFreePort();
  const child = run(serve, [String(port), '::1', '200']);
  await watch({ port }, { pids: [child.pid] }).first;
  await holdPort('127.0.0.1', port);

  const named = watch({ http: `http://localhost:${port}/` }, { pids: [child.pid] });
  const exact = watch({ http: `http://[::1]:${port}/` }, { pids: [child.pid] });

  expect(await named.first).toMatch(`pid ${process.pid} (`);
  expect(await exact.first).toBe('ready');
});

test('a cancelled watch hangs up', async () => {
  const port = await findFreePort();
  const child = run(serve, [String(port), '127.0.0.1', 'hang']);
  const printed = printedBy(child);
  const verdict = watch({ http: `http://127.0.0.1:${port}/` }, { pids: [child.pid] });
  await waitUntil(() => printed() === 'asked\n');

  verdict.cancel();
  await waitUntil(() => printed() === 'asked\ngone\n');

  expect(verdict.said).toEqual([]);
});

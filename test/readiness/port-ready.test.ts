import { expect, test } from 'vitest';
import { createCurrentSockets } from '../../src/readiness/current-sockets.ts';
import { findPortHolder } from '../../src/readiness/port-holder.ts';
import { waitUntil } from '../support/os.ts';
import { findFreePort, holdPort, run, watch } from './rig.ts';

/** Listens after `afterMs`, or with `word` as soon as it reads from stdin. */
const serve = `
  const [port, host, afterMs = 0] = process.argv.slice(1);
  const listen = () => require('net').createServer().listen(Number(port), host);
  if (afterMs === 'word') process.stdin.once('data', listen);
  else setTimeout(listen, Number(afterMs));
`;

test.each(['127.0.0.1', '0.0.0.0', '::1', '::'])(
  'a port is ready once the tree listens on %s',
  async (host) => {
    const port = await findFreePort();
    const child = run(serve, [String(port), host, 'word']);

    const verdict = watch({ port }, { pids: [child.pid] });
    const atOnce = await findPortHolder(port);
    child.stdin?.write('go');

    expect(await verdict.first).toBe('ready');
    expect(atOnce).toBeNull();
    expect((await findPortHolder(port))?.pid).toBe(child.pid);
  },
);

test('a taken port fails early naming the holder', async () => {
  const port = await holdPort('127.0.0.1');
  const child = run('setInterval(() => {}, 1000)');

  const verdict = watch({ port }, { pids: [child.pid] });

  expect(await verdict.first).toMatch(`port ${port} is held by another process, pid ${process.pid} (`);
});

test('a port taken later fails naming the holder', async () => {
  const port = await findFreePort();
  const child = run('setInterval(() => {}, 1000)');
  const verdict = watch({ port }, { pids: [child.pid] });

  const thief = run(serve, [String(port), '127.0.0.1', '100']);

  expect(await verdict.first).toMatch(`pid ${thief.pid} (${process.execPath} -e`);
});

test('a stranger on another address is not in the way', async () => {
  const port = await holdPort('127.0.0.2', await findFreePort());
  const child = run(serve, [String(port), '127.0.0.1', '100']);

  const verdict = watch({ port }, { pids: [child.pid] });

  expect(await verdict.first).toBe('ready');
});

test('a grandchild of the tree makes the port ready', async () => {
  const port = await findFreePort();
  const child = run(
    `const { spawn } = require('child_process');
     const child = spawn(process.execPath, ['-e', ${JSON.stringify(serve)}, '${port}', '127.0.0.1'], { stdio: 'inherit' });
     console.log(child.pid);`,
  );
  const printed = await new Promise<string>((resolve) =>
    child.stdout?.once('data', (data) => resolve(`${data}`)),
  );
  const grandchild = Number(printed);

  const verdict = watch({ port }, { pids: [child.pid, grandchild] });
  const said = await verdict.first;
  process.kill(grandchild, 'SIGKILL');
  await waitUntil(async () => (await findPortHolder(port)) === null);

  expect(said).toBe('ready');
});

test('both ways to read sockets say the same', async () => {
  const port = await holdPort('::1', await findFreePort());
  await holdPort('127.0.0.1', port);

  const found = await Promise.all(
    (['linux', 'darwin'] as const).map(async (platform) => {
      const sockets = await createCurrentSockets(platform).listening(port);
      const holders = await Promise.all(sockets.map((socket) => socket.findHolder()));
      const answers = await Promise.all(sockets.map((socket) => socket.isHeldBy([process.pid])));
      return {
        addresses: sockets.map(({ address }) => address).sort(),
        pids: holders.map((holder) => holder?.pid),
        answers,
      };
    }),
  );

  expect(found[0]).toEqual({
    addresses: ['127.0.0.1', '::1'],
    pids: [process.pid, process.pid],
    answers: ['yes', 'yes'],
  });
  expect(found[1]).toEqual(found[0]);
});

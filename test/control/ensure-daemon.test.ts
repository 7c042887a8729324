import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, test, vi } from 'vitest';
import { ensureDaemon } from '../../src/control/ensure-daemon.ts';
import { PROTOCOL_VERSION } from '../../src/control/protocol.ts';
import { createFileSupervisorRegistry } from '../../src/store/file-supervisor-registry.ts';
import { toStatePaths } from '../../src/store/state-paths.ts';
import { createVirtualClock } from '../../src/testing/index.ts';
import { tempDir, waitUntil } from '../support/os.ts';
import { mountSmallDisk } from '../support/small-disk.ts';

afterEach(() => void vi.useRealTimers());

/** Starts a program as daemon, and returns the refusal; `log` was written by earlier daemons. */
async function startBroken(program: string, { log = '', deadlineMs = 30_000 } = {}) {
  using place = tempDir();
  const { directory, supervisors } = toStatePaths(place.file('state'));
  const path = place.file('daemon.cjs');
  writeFileSync(path, program);
  mkdirSync(supervisors, { recursive: true, mode: 0o700 });
  if (log !== '') writeFileSync(`${supervisors}/daemon.log`, log, { mode: 0o600 });
  const refusal = await ensureDaemon({ directory, program: path, deadlineMs }).catch(
    ({ code, message }) => `${code}: ${message}`,
  );
  return `${refusal}`.replaceAll(place.path, '<place>');
}

test('a daemon that fails without a word is named by its exit code', async () => {
  expect(await startBroken('process.exit(3)')).toBe(
    'unreachable: The daemon could not be started: it exited with code 3; it wrote nothing to <place>/state/supervisors/daemon.log',
  );
});

test('a daemon that is killed is named by its signal, with its last words', async () => {
  const words = Array.from({ length: 13 }, (_, n) => `line ${n}\n    at main.js:${n}\n`).join('');
  const program = `require('node:fs').writeSync(2, ${JSON.stringify(words)}); process.kill(process.pid, 'SIGKILL')`;

  expect(await startBroken(program)).toBe(
    `unreachable: The daemon could not be started: it was ended by SIGKILL; it wrote to <place>/state/supervisors/daemon.log:\n${Array.from({ length: 12 }, (_, n) => `line ${n + 1}`).join('\n')}`,
  );
});

test.each([
  [64 * 1024, `${'x'.repeat(64 * 1024)}new`],
  [64 * 1024 + 1, 'new'],
])('an earlier log of %i bytes is kept while it is short', async (size, words) => {
  const refusal = await startBroken("require('node:fs').writeSync(2, 'new'); process.exit(1)", {
    log: 'x'.repeat(size),
  });

  expect(refusal).toBe(
    `unreachable: The daemon could not be started: it exited with code 1; it wrote to <place>/state/supervisors/daemon.log:\n${words}`,
  );
});

test('a daemon that does not listen is given up after the deadline', async () => {
  expect(await startBroken('', { deadlineMs: 40 })).toBe(
    'unreachable: The daemon could not be started: it did not answer within 40 ms; it wrote nothing to <place>/state/supervisors/daemon.log',
  );
});

test('a daemon inherits nothing that makes it a process of its caller', async () => {
  process.env['TROUPE_OWNER'] = 'conv_1';
  process.env['TROUPE_PROCESS_ID'] = 'tool_a';
  process.env['OF_CALLER'] = 'x';
  const program = `
    const { TROUPE_OWNER, TROUPE_PROCESS_ID, OF_CALLER } = process.env;
    const [, , ...args] = process.argv;
    console.log(JSON.stringify({ TROUPE_OWNER, TROUPE_PROCESS_ID, OF_CALLER, args, cwd: process.cwd() }));
    process.exitCode = 1;
  `;

  const refusal = await startBroken(program);

  for (const name of ['TROUPE_OWNER', 'TROUPE_PROCESS_ID', 'OF_CALLER']) delete process.env[name];
  expect(refusal.split('\n').at(-1)).toBe(
    '{"OF_CALLER":"x","args":["serve","--state-dir","<place>/state"],"cwd":"/"}',
  );
});

test('a daemon that fails on a full disk asks for room', async (context) => {
  using disk = mountSmallDisk(context, 1);
  using place = tempDir();
  const { directory, supervisors } = toStatePaths(join(disk.path, 'state'));
  mkdirSync(supervisors, { recursive: true, mode: 0o700 });
  writeFileSync(place.file('daemon.cjs'), 'process.exit(3)');
  disk.fill();

  const asked = ensureDaemon({ directory, program: place.file('daemon.cjs'), deadlineMs: 30_000 });

  await expect(asked).rejects.toThrow(
    `The daemon could not be started: the disk is full, so make room; it exited with code 3; it wrote nothing to ${supervisors}/daemon.log`,
  );
});

test('a daemon is asked with what JSON can hold', async () => {
  using place = tempDir();
  const directory = place.file('state');
  const registry = createFileSupervisorRegistry({ directory });
  const socket = registry.makeSocketPath('sup_daemon');
  const requests: { method: string; params: unknown }[] = [];
  const server = createServer((client) => {
    createInterface(client).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      requests.push({ method, params });
      client.write(`${JSON.stringify({ v: PROTOCOL_VERSION, id, result: { method } })}\n`);
    });
  }).listen(socket);
  registry.register({ id: 'sup_daemon', role: 'daemon', socket });

  const daemon = await ensureDaemon({ directory, program: place.file('none') });
  const started = await daemon.start({ command: 'serve', ready: { line: /up on \d+/i, within: '9s' } });
  const ended = await daemon.shutdown();
  daemon.close();

  server.close();
  registry.unregister('sup_daemon');
  expect([started, ended]).toEqual([{ method: 'start' }, undefined]);
  expect([daemon.supervisorId, daemon.socket]).toEqual(['sup_daemon', socket]);
  expect(requests).toMatchObject([
    { method: 'hello' },
    {
      method: 'start',
      params: {
        spec: { command: 'serve', ready: { line: { source: 'up on \\d+', flags: 'i' }, within: '9s' } },
        env: { PATH: process.env['PATH'] },
      },
    },
    { method: 'shutdown' },
  ]);
});

test.each([
  ['halted', 'it is busy or halted', 'kill -CONT PID; kill PID'],
  ['without its socket', 'its socket SOCKET is gone', 'kill PID'],
])('a daemon that is %s is not replaced, and how to end it is told', async (how, why, wayOut) => {
  using place = tempDir();
  const directory = place.file('state');
  const registry = createFileSupervisorRegistry({ directory });
  const socket = registry.makeSocketPath('sup_mute');
  const server = createServer();
  if (how === 'halted') server.listen(socket);
  registry.register({ id: 'sup_mute', role: 'daemon', socket });
  const program = place.file('daemon.cjs');
  writeFileSync(program, '');
  const clock = createVirtualClock();

  // The deadline of the first answer.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

  const asked = ensureDaemon({ directory, program, clock, deadlineMs: 10 });
  let message = '';
  asked.catch((error: Error) => {
    message = error.message;
  });
  await waitUntil(() => {
    clock.advance(20);
    vi.advanceTimersByTime(1_000);
    return message !== '';
  });

  server.close();
  registry.unregister('sup_mute');
  expect(message).toBe(
    `The daemon (pid ${process.pid}) runs but cannot be reached: ${why.replace('SOCKET', socket)}. End it and its processes with: ${wayOut.replaceAll('PID', String(process.pid))}. Then try again.`,
  );
  expect(readFileSync(`${toStatePaths(directory).supervisors}/daemon.log`, 'utf8')).toBe('');
});

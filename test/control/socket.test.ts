import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectControl } from '../../src/control/control-client.ts';
import { serveControl } from '../../src/control/control-server.ts';
import { createReachableSupervisor } from '../../src/control/reachable-supervisor.ts';
import { openStateDirectory } from '../../src/state-directory/open-state-directory.ts';
import { createFileSupervisorRegistry } from '../../src/store/file-supervisor-registry.ts';
import { tempDir, waitUntil } from '../support/os.ts';
import { findEntry, openControlStage, openRawClient, untilListening } from './arrange.ts';

const isRoot = process.getuid?.() === 0;
const modeOf = (path: string) => statSync(path).mode & 0o777;

test('a supervisor leaves no socket before its first process or after its end', async () => {
  using place = tempDir();
  const directory = place.file('state');
  const supervisor = createReachableSupervisor({ cwd: place.path, stateDirectory: directory });
  const isThereBefore = existsSync(directory);

  await supervisor.execute({ command: 'true' });
  const socketPath = await untilListening(directory, supervisor.id);
  const isThereMeanwhile = existsSync(socketPath);
  await supervisor.shutdown();

  expect([isThereBefore, isThereMeanwhile, existsSync(socketPath)]).toEqual([false, true, false]);
  expect(readdirSync(join(directory, 'supervisors'))).toEqual([]);
});

test('socket, entry and directories are for their owner only', async () => {
  await using stage = await openControlStage();
  const { stateDirectory: directory, socketPath, supervisor } = stage;

  const modes = [directory, join(directory, 'supervisors'), join(directory, 'processes')].map(modeOf);

  expect(modes).toEqual([0o700, 0o700, 0o700]);
  expect(modeOf(socketPath)).toBe(0o600);
  expect(modeOf(join(directory, 'supervisors', `${supervisor.id}.json`))).toBe(0o600);
});

test('a directory that is open to others is closed', async () => {
  using place = tempDir();
  mkdirSync(place.file('state/supervisors'), { recursive: true });
  chmodSync(place.file('state/supervisors'), 0o777);

  await using _stage = await openControlStage({ stateDirectory: place.file('state') });

  expect(modeOf(place.file('state/supervisors'))).toBe(0o700);
});

test('a socket with too long a path moves to another directory', async () => {
  using place = tempDir();
  const directory = place.file(join('x'.repeat(60), 'y'.repeat(60)));

  await using stage = await openControlStage({ stateDirectory: directory });
  const { processes, warnings } = await stage.state.list();

  expect(Buffer.byteLength(stage.socketPath)).toBeLessThanOrEqual(103);
  expect(stage.socketPath.startsWith(directory)).toBe(false);
  expect(modeOf(join(stage.socketPath, '..'))).toBe(0o700);
  expect(processes).toMatchObject([{ answered: true, view: { id: stage.idle.id } }]);
  expect(warnings).toEqual([]);
});

test('without control nothing listens, and the records tell what they can', async () => {
  using place = tempDir();
  const directory = place.file('state');
  const supervisor = createReachableSupervisor({
    stateDirectory: directory,
    control: false,
    shutdownGrace: 100,
  });
  const { id } = supervisor.start({ command: ['sleep', '1000'], background: true });
  const state = openStateDirectory({ directory });
  await waitUntil(async () =>
    (await state.list()).processes.some(({ view }) => view.status === 'backgrounded'),
  );

  const { processes, warnings } = await state.list();
  const refusal = await state.kill(id).catch(({ code, message }) => ({ code, message }));

  expect(processes).toMatchObject([{ answered: false, view: { id } }]);
  expect(warnings).toEqual([]);
  expect(refusal).toEqual({ code: 'unreachable', message: expect.stringContaining('"control" is false') });
  expect(findEntry(directory, supervisor.id)?.socket).toBeNull();
  await supervisor.shutdown();
});

test('an open socket does not keep a program alive', () => {
  using place = tempDir();
  const program = `
    const { createReachableSupervisor } = await import(${JSON.stringify(new URL('../../src/control/reachable-supervisor.ts', import.meta.url).href)});
    const { existsSync, readdirSync } = await import('node:fs');
    const supervisor = createReachableSupervisor({ cwd: ${JSON.stringify(place.path)} });
    await supervisor.execute({ command: 'true' });
    setTimeout(() => console.log(readdirSync('.troupe/supervisors').length), 50);
  `;

  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: place.path,
    timeout: 20_000,
    encoding: 'utf8',
  });

  expect([status, stdout, stderr]).toEqual([0, '2\n', '']);
});

test('the socket of a dead supervisor is replaced, that of a living one never', async () => {
  await using stage = await openControlStage();
  const socketPath = join(stage.stateDirectory, 'supervisors', 'stale.sock');
  // A killed daemon leaves its socket behind.
  const program = `require('node:net').createServer().listen(${JSON.stringify(socketPath)}, () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', program]);
  const wasThere = existsSync(socketPath);

  const server = await serveControl(stage.supervisor, { socketPath, role: 'program' });
  const client = await openRawClient(socketPath);
  const second = await serveControl(stage.supervisor, { socketPath, role: 'program' }).catch(
    (error) => error.message,
  );
  const hello = await client.ask(1, 'hello');

  expect(wasThere).toBe(true);
  expect(second).toBe(`Another program already listens on ${socketPath}: end that program first.`);
  expect(hello).toMatchObject({ result: { supervisorId: stage.supervisor.id } });
  server.close();
  await client.closed;
  expect(existsSync(socketPath)).toBe(false);
});

test.runIf(isRoot)("another user's socket is not spoken to", async () => {
  await using stage = await openControlStage();
  chownSync(stage.socketPath, 65_534, 65_534);

  const refusal = await connectControl(stage.socketPath).catch(({ code, message }) => ({ code, message }));
  const { processes, warnings } = await stage.state.list();

  expect(refusal).toEqual({
    code: 'unreachable',
    message: `The control socket ${stage.socketPath} belongs to user 65534, and you are user 0: run this command as that user.`,
  });
  expect(processes).toMatchObject([{ answered: false, view: { id: stage.idle.id } }]);
  expect(warnings).toEqual([expect.stringContaining('belongs to user 65534')]);
});

test.runIf(isRoot)('a supervisor is refused in a directory of another user', () => {
  using place = tempDir();
  mkdirSync(place.file('state/supervisors'), { recursive: true, mode: 0o700 });
  chownSync(place.file('state/supervisors'), 65_534, 65_534);

  const create = () => createReachableSupervisor({ cwd: place.path, stateDirectory: place.file('state') });

  expect(create).toThrow(/supervisors" belongs to user 65534, not to you/);
});

test('a supervisor that does not answer is passed over within two seconds', async () => {
  await using stage = await openControlStage();
  const roll = createFileSupervisorRegistry({ directory: stage.stateDirectory });
  const socketPath = roll.makeSocketPath('sup_mute2222');
  const mute = createServer().listen(socketPath);
  roll.register({ id: 'sup_mute2222', role: 'program', socket: socketPath });

  const beganMs = performance.now();
  const { processes, warnings } = await stage.state.list();

  expect(performance.now() - beganMs).toBeLessThan(3_000);
  expect(processes).toMatchObject([{ answered: true, view: { id: stage.idle.id } }]);
  expect(warnings).toEqual([expect.stringContaining('did not answer within 2s')]);
  stage.state.close();
  mute.close();
  roll.unregister('sup_mute2222');
});

test('a client recognizes a peer that is no supervisor', async () => {
  using place = tempDir();
  const talkers = ['hello\n', '{"v":9,"id":1,"result":null}\n', '{"v":1,"id":"x"}\n'];

  const refusals = await Promise.all(
    talkers.map(async (words, n) => {
      const path = place.file(`${n}.sock`);
      const server = createServer((socket) => void socket.end(words)).listen(path);
      const client = await connectControl(path);
      const refusal = await client.call('list', {}).catch(({ code, message }) => `${code}: ${message}`);
      server.close();
      return refusal;
    }),
  );

  expect(refusals).toEqual([
    expect.stringMatching(/^protocol: .*not valid JSON/),
    expect.stringMatching(/^protocol: This program speaks version 1 .* other side version 9/),
    expect.stringMatching(/^protocol: .*not valid\.$/),
  ]);
});

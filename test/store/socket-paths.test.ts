import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  rmdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFileSupervisorRegistry } from '../../src/store/file-supervisor-registry.ts';
import { tempDir } from '../support/os.ts';

function arrange({ depth = 0 } = {}) {
  const temp = tempDir();
  onTestFinished(() => temp.remove());
  const directory = temp.file(join(...Array.from({ length: depth }, () => 'a-long-folder-name'), '.troupe'));
  mkdirSync(directory, { recursive: true });
  return { directory, roll: createFileSupervisorRegistry({ directory }), temp };
}

/** A real socket, as a server that is killed leaves it. */
async function listen(path: string): Promise<void> {
  const server = createServer().listen(path);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
}

test('a socket lies beside the entry and goes with it', async () => {
  const { roll, directory } = arrange();
  const socket = roll.makeSocketPath('sup_a');
  await listen(socket);
  roll.register({ id: 'sup_a', role: 'daemon', socket });

  roll.unregister('sup_a');

  expect(socket).toBe(join(directory, 'supervisors/sup_a.sock'));
  expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
  expect([existsSync(socket), roll.list()]).toEqual([false, []]);
});

test('a socket that was not entered yet goes as well', async () => {
  const { roll } = arrange();
  const socket = roll.makeSocketPath('sup_a');
  roll.register({ id: 'sup_a', role: 'daemon', socket: null });
  await listen(socket);

  roll.unregister('sup_a');

  expect(existsSync(socket)).toBe(false);
});

test('a socket anywhere in the state directory goes', async () => {
  const { roll, directory } = arrange();
  const socket = join(directory, 'control');
  await listen(socket);
  roll.register({ id: 'sup_a', role: 'daemon', socket });

  roll.unregister('sup_a');

  expect(existsSync(socket)).toBe(false);
});

test('a socket outside of the state directory stays', async () => {
  const { roll, directory, temp } = arrange();
  const outside = temp.file('precious.sock');
  await listen(outside);

  for (const socket of [outside, `${directory}/../precious.sock`]) {
    roll.register({ id: 'sup_a', role: 'daemon', socket });
    roll.unregister('sup_a');
  }

  expect(lstatSync(outside).isSocket()).toBe(true);
});

test('a file that is not a socket stays', () => {
  const { roll, directory } = arrange();
  const [file, link] = [join(directory, 'notes.txt'), join(directory, 'link')];
  writeFileSync(file, 'mine');
  symlinkSync('notes.txt', link);

  for (const socket of [file, link, directory, join(directory, 'missing')]) {
    roll.register({ id: 'sup_a', role: 'daemon', socket });
    roll.unregister('sup_a');
  }

  expect([file, link, directory].map((path) => existsSync(path))).toEqual([true, true, true]);
  expect(roll.list()).toEqual([]);
});

test('a long path has its socket in the temp directory', async () => {
  const { roll, directory } = arrange({ depth: 8 });
  const [one, other] = [roll.makeSocketPath('sup_a'), roll.makeSocketPath('sup_b')];
  await listen(one);
  await listen(other);
  roll.register({ id: 'sup_a', role: 'daemon', socket: one });
  roll.register({ id: 'sup_b', role: 'daemon', socket: other });
  const place = dirname(one);

  expect(Buffer.byteLength(join(directory, 'supervisors/sup_a.sock'))).toBeGreaterThan(103);
  expect([dirname(place), dirname(other)]).toEqual([tmpdir(), place]);
  expect(statSync(place).mode & 0o777).toBe(0o700);
  roll.unregister('sup_a');
  expect([existsSync(one), existsSync(other)]).toEqual([false, true]);
  roll.unregister('sup_b');
  expect(existsSync(place)).toBe(false);
});

test('two state directories share no place', () => {
  const [one, other] = [arrange({ depth: 8 }), arrange({ depth: 8 })];

  const sockets = [one, other].map(({ roll }) => roll.makeSocketPath('sup_a'));

  expect(new Set(sockets).size).toBe(2);
  for (const { roll } of [one, other]) roll.unregister('sup_a');
  expect(sockets.some((socket) => existsSync(dirname(socket)))).toBe(false);
});

test('a temp directory that changes keeps no socket from going', async () => {
  const { roll, temp } = arrange({ depth: 8 });
  const socket = roll.makeSocketPath('sup_a');
  await listen(socket);
  roll.register({ id: 'sup_a', role: 'daemon', socket });
  const before = process.env['TMPDIR'];
  onTestFinished(() => {
    process.env['TMPDIR'] = before;
  });

  process.env['TMPDIR'] = temp.path;
  roll.unregister('sup_a');

  expect(existsSync(dirname(socket))).toBe(false);
});

test('a long temp directory is replaced by /tmp', () => {
  const { roll, temp } = arrange({ depth: 8 });
  const before = process.env['TMPDIR'];
  onTestFinished(() => {
    process.env['TMPDIR'] = before;
  });
  process.env['TMPDIR'] = temp.file('x'.repeat(80));

  const socket = roll.makeSocketPath('sup_a');

  expect(dirname(dirname(socket))).toBe('/tmp');
  expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(103);
  roll.unregister('sup_a');
  expect(existsSync(dirname(socket))).toBe(false);
});

test('a place that others can enter is refused', () => {
  const { roll } = arrange({ depth: 8 });
  const place = dirname(roll.makeSocketPath('sup_a'));
  const refusal = expect.objectContaining({
    code: 'state-directory',
    message: `"${place}" is not a directory that is closed to other users, so no control socket is created there. Remove it, or use a state directory with a shorter path.`,
  });

  chmodSync(place, 0o777);
  expect(() => roll.makeSocketPath('sup_a')).toThrow(refusal);
  rmdirSync(place);
  symlinkSync(tmpdir(), place);
  expect(() => roll.makeSocketPath('sup_a')).toThrow(refusal);

  unlinkSync(place);
});

test('an id that leads elsewhere makes no socket', () => {
  const { roll } = arrange();

  expect(() => roll.makeSocketPath('../sup_a')).toThrow('is not an id');
  expect(() => roll.unregister('../sup_a')).toThrow('is not an id');
});

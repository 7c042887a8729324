import { chmodSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLsofSockets } from '../../src/readiness/lsof-sockets.ts';
import { tempDir } from '../support/os.ts';

/** Puts an `lsof` and a `ps` on the PATH that print this; the arguments of `lsof` go to a file. */
function fakePrograms({ lsof, ps = '', code = 0 }: { lsof: string; ps?: string; code?: number }) {
  const place = tempDir();
  writeFileSync(place.file('lsof.out'), lsof);
  writeFileSync(place.file('ps.out'), ps);
  const print = (name: string, end: number) =>
    `#!/bin/sh\nwhile IFS= read -r line; do printf '%s\\n' "$line"; done < '${place.file(`${name}.out`)}'\nexit ${end}\n`;
  for (const [name, end] of [
    ['lsof', code],
    ['ps', 0],
  ] as const) {
    writeFileSync(place.file(name), print(name, end));
    chmodSync(place.file(name), 0o755);
  }
  vi.stubEnv('PATH', place.path);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    place.remove();
  });
  return createLsofSockets();
}

/**
 * Output of `lsof -Fptn` as macOS prints it, by "OUTPUT FOR OTHER PROGRAMS" in lsof(8) of macOS (lsof 4.91): a `p` line begins a process,
 * an `f` line each of its files, asked for or not; the type tells the family of `*`. A server on both families has a file for each.
 */
const macLsof = `p654
f7
tIPv4
n*:53002
f15
tIPv6
n*:53002
p7004
f19
tIPv6
n[::1]:3003
f20
tIPv4
n127.0.0.1:3002
`;

test('listening sockets are read as lsof of macOS prints them', async () => {
  const sockets = await fakePrograms({ lsof: macLsof }).listening(53_002);

  expect(sockets.map(({ address }) => address)).toEqual(['0.0.0.0', '::', '::1', '127.0.0.1']);
  expect(await Promise.all(sockets.map((socket) => socket.isHeldBy([654])))).toEqual([
    'yes',
    'yes',
    'no',
    'no',
  ]);
});

test('the holder of a port is named by ps of macOS', async () => {
  const ps = '  654     1   654 Ss   Tue Feb 17 23:59:59 2026     /usr/libexec/rapportd\n';
  const [socket] = await fakePrograms({ lsof: macLsof, ps }).listening(53_002);

  expect(await socket?.findHolder()).toEqual({ pid: 654, command: '/usr/libexec/rapportd' });
});

test('the ports of processes are listed once and in order, also if one of them is gone', async () => {
  const table = fakePrograms({ lsof: macLsof, code: 1 });

  expect(await table.portsOf([654, 7004, 9999])).toEqual([3002, 3003, 53_002]);
});

test('an lsof that finds nothing is an answer, and one that fails is not', async () => {
  expect(await fakePrograms({ lsof: '', code: 1 }).listening(80)).toEqual([]);
  await expect(fakePrograms({ lsof: '', code: 2 }).listening(80)).rejects.toMatchObject({ exitCode: 2 });
});

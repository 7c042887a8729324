import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { createProcTable } from '../../../src/spawn/tree/proc-table.ts';
import { carriers, countOpenFiles, endAll, startTicksOf, stateOf, waitUntil } from '../../support/os.ts';

const table = createProcTable();
const id = `tool_table${process.pid}`;
const started: number[] = [];

afterEach(() => endAll(started.splice(0), `/${id}/`));

function start(file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): number {
  const child = spawn(file, args, {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], TROUPE_LINEAGE: `/sup_t/${id}/`, ...env },
  });
  if (child.pid === undefined) throw new Error(`cannot start ${file}`);
  started.push(child.pid);
  return child.pid;
}

test("an entry matches the system's own data", async () => {
  const pid = start('sleep', ['300']);
  // The process is started once its execve cannot fail any more; its command line comes a moment later.
  await waitUntil(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '');

  const entry = await table.read(pid);

  expect(entry).toMatchObject({ pid, pgid: pid, sid: pid, ppid: process.pid, alive: true, stopped: false });
  expect(entry?.startedAt).toBe(startTicksOf(pid));
  expect(entry?.command).toBe('sleep 300');
});

test('an unused pid has no entry', async () => {
  expect(await table.read(2 ** 30)).toBeNull();
  expect(await table.readAll([2 ** 30, process.pid])).toMatchObject([{ pid: process.pid }]);
});

test('a zombie is not alive', async () => {
  const pid = start('true', []);
  // Busy waiting, because the exit is collected as soon as the event loop turns.
  while (stateOf(pid) !== 'Z') expect(stateOf(pid)).not.toBeNull();

  const entry = await table.read(pid);

  expect(entry).toMatchObject({ pid, alive: false });
});

test('the whole table contains this program and its child', async () => {
  const child = start('sleep', ['300']);

  const pids = (await table.list()).map((entry) => entry.pid);

  expect(pids).toEqual(expect.arrayContaining([child, process.pid]));
});

test('young descendants are found by their pids', async () => {
  const leader = start('sh', ['-c', 'for n in 1 2 3 4 5; do setsid sleep 300 & done; wait']);
  const elder = await table.read(leader);
  if (elder === null) throw new Error('it has ended');
  const tree = await waitUntil(() => {
    const pids = carriers(`/${id}/`);
    return pids.length === 6 ? pids : null;
  });

  const younger = (await table.listSince(elder)).map(({ pid }) => pid);

  expect(younger).toEqual(expect.arrayContaining(tree.filter((pid) => pid !== leader)));
  expect(younger).not.toContain(leader);
});

test('old descendants are found by a full reading', async () => {
  const leader = start('sleep', ['300']);

  const first = (await table.listSince({ pid: 1, startedAt: '0' })).map(({ pid }) => pid);
  const again = (await table.listSince({ pid: 1, startedAt: '0' })).map(({ pid }) => pid);

  expect(first).toEqual(expect.arrayContaining([leader, process.pid]));
  expect(again).toEqual(expect.arrayContaining([leader, process.pid]));
});

test('a thread is no process', async () => {
  const script =
    'const { Worker } = require("worker_threads"); new Worker("setInterval(() => {}, 1000)", { eval: true })';
  const leader = start(process.execPath, ['-e', script]);
  const elder = await table.read(leader);
  if (elder === null) throw new Error('it has ended');
  await waitUntil(() => readdirSync(`/proc/${leader}/task`).length > 1);
  const threads = readdirSync(`/proc/${leader}/task`)
    .map(Number)
    .filter((tid) => tid !== leader);

  const entries = await table.readAll(threads);
  const younger = (await table.listSince(elder)).map(({ pid }) => pid);

  expect(entries).toEqual([]);
  expect(younger.filter((pid) => threads.includes(pid))).toEqual([]);
});

test('only the lineage is searched for the cookie', async () => {
  const ours = start('sleep', ['300']);
  const named = start('sleep', ['300'], { TROUPE_LINEAGE: '/sup_t/tool_other/', LOG: `/logs/${id}/out.log` });
  await waitUntil(() => carriers('TROUPE_LINEAGE').filter((pid) => [ours, named].includes(pid)).length === 2);
  const entries = await table.readAll([ours, named]);

  const found = await table.filterCarriers(`/${id}/`, entries);

  expect(found.map(({ pid }) => pid)).toEqual([ours]);
});

test('a program in the middle of execve is found', async () => {
  for (let round = 0; round < 100; round += 1) {
    const pid = start('sh', ['-c', 'exec sh -c "exec sleep 300"']);
    const entry = await table.read(pid);

    const found = await table.filterCarriers(`/${id}/`, entry === null ? [] : [entry]);

    expect(found.map((each) => each.pid)).toEqual([pid]);
    process.kill(pid, 'SIGKILL');
  }
});

test('the scope is the same on one machine', async () => {
  expect(await table.scope()).toEqual(await createProcTable().scope());
  expect((await table.scope()).pidNamespace).toMatch(/^pid:\[\d+\]$/);
});

test('reading leaves no descriptor open', async () => {
  const before = countOpenFiles();

  for (let round = 0; round < 50; round += 1) await table.listSince({ pid: 1, startedAt: '0' });

  expect(countOpenFiles()).toBeLessThanOrEqual(before + 2);
});

test('an exited process has no entry', async () => {
  const child = spawn('true', { stdio: 'ignore' });
  await once(child, 'exit');

  expect(await table.read(child.pid ?? 0)).toBeNull();
});

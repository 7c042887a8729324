import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { CommandSpec, ProcessHandle } from '../../src/index.ts';
import type { WorkerOptions } from '../../src/remote/index.ts';
import { streams } from '../../src/spawn/remote/protocol.ts';
import { hasNatsServer, type NatsCluster, startNatsCluster } from '../support/nats.ts';
import { carriers, commandOf, endAll, tempDir, waitUntil } from '../support/os.ts';
import { startPuppetHost } from '../support/puppet-host.ts';
import type { RealHarness } from '../support/real.ts';
import { openAsker, startWorkerProgram, type WorkerProgram } from '../support/remote.ts';

const MIB = 2 ** 20;
/** Length of an outage of all servers. */
const OUTAGE_MS = 3_000;

/** Prints 500 numbered lines a second, until the file `go` exists. */
const talks = (go: string) => [
  'perl',
  '-e',
  `$| = 1; until (-e "${go}") { print "line ", $n++, "\\n"; select undef, undef, undef, 0.002 } print "bye\\n"`,
];

/** Returns the living processes below processes, wherever they run. */
const alive = (handles: readonly Pick<ProcessHandle, 'id'>[]) =>
  handles.flatMap(({ id }) => carriers(`/${id}/`));

const areUp = (handles: readonly ProcessHandle[]) =>
  waitUntil(() => handles.every(({ status }) => status === 'backgrounded'), { what: 'all of them run' });

const linesOf = (handle: ProcessHandle) => handle.view().output.lines ?? 0;

/** Resolves when so many more lines have come. */
const hears = (handle: ProcessHandle, more: number) => {
  const wanted = linesOf(handle) + more;
  return waitUntil(() => linesOf(handle) >= wanted, { what: `${more} more lines` });
};

function expectAllLines(handle: Pick<ProcessHandle, 'view'>): void {
  const text = readFileSync(handle.view().output.logFile ?? '', 'utf8');
  const lines = text.trimEnd().split('\n');
  expect(lines.pop()).toBe('bye');
  expect(lines).toEqual(lines.map((_, n) => `line ${n}`));
}

describe.skipIf(!(await hasNatsServer()))('on a cluster of three servers', () => {
  let cluster: NatsCluster;
  beforeAll(async () => {
    cluster = await startNatsCluster();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  const open = (pool: string) => openAsker(cluster.urls, { remote: { pool } });
  const openWorker = async (options: Omit<WorkerOptions, 'servers' | 'onError'>): Promise<WorkerProgram> => {
    const program = await startWorkerProgram({ servers: cluster.urls, ...options });
    onTestFinished(() => program.kill());
    return program;
  };
  const start = ({ supervisor }: RealHarness, spec: CommandSpec) =>
    supervisor.start({ background: true, ...spec });
  /** Counts the completions of each process from now on. */
  const countEnds = ({ supervisor }: RealHarness) => {
    const ends = new Map<string, number>();
    supervisor.completions$.subscribe(({ process: { id } }) => ends.set(id, (ends.get(id) ?? 0) + 1));
    return ends;
  };
  const killAll = () => Promise.all(cluster.nodes.map((node) => node.kill()));
  const startAll = () => Promise.all(cluster.nodes.map((node) => node.start()));
  const killLeader = async (stream: string) => {
    const connection = await connect({ servers: [...cluster.urls] });
    try {
      const manager = await jetstreamManager(connection, { checkAPI: false });
      const leader = await waitUntil(async () => {
        const info = await manager.streams.info(stream).catch(() => null);
        return info?.cluster?.leader;
      });
      const node = cluster.nodes[Number(leader.slice(1)) - 1];
      await node?.kill();
      return node;
    } finally {
      await connection.close();
    }
  };

  test('a killed worker loses all of its processes once', async () => {
    const worker = await openWorker({ pools: ['killed'], capacity: 100 });
    await using stage = open('killed');
    const handles = Array.from({ length: 100 }, () => start(stage, { command: 'sleep 300 & wait' }));
    const ends = countEnds(stage);
    await areUp(handles);
    await waitUntil(() => alive(handles).length === 200);

    await worker.kill();
    const killedAtMs = performance.now();
    const views = await Promise.all(handles.map(({ ended }) => ended));
    const lostAfterMs = performance.now() - killedAtMs;

    expect(new Set(views.map(({ status }) => status))).toEqual(new Set(['lost']));
    expect(views[0]?.reason).toMatchObject({
      type: 'lost',
      why: `the worker ${worker.id} was silent for 5 s; the process was running`,
    });
    expect(lostAfterMs).toBeLessThan(6_000);
    await waitUntil(() => alive(handles).length === 0);
    await waitUntil(() => ends.size === 100);
    expect([...ends.values()]).toEqual(Array(100).fill(1));
  });

  test('no start happens twice although workers are killed', async () => {
    using notes = tempDir();
    const file = notes.file('ids');
    writeFileSync(file, '');
    const options = { pools: ['twice'], capacity: 10 };
    const workers = [await openWorker(options), await openWorker(options)];
    await using stage = open('twice');
    const started = () => readFileSync(file, 'utf8').trimEnd().split('\n');
    const command = `echo "$TROUPE_PROCESS_ID" >>${file}; sleep 0.2`;

    const handles = Array.from({ length: 200 }, () => start(stage, { command }));
    for (const count of [40, 100]) {
      await waitUntil(() => started().length >= count);
      await workers.shift()?.kill();
      workers.push(await openWorker(options));
    }
    const views = await Promise.all(handles.map(({ ended }) => ended));

    const ids = started();
    const of = (status: string) => views.filter((view) => view.status === status).map(({ id }) => id);
    expect(ids).toHaveLength(new Set(ids).size);
    expect(of('completed').length + of('lost').length).toBe(200);
    expect(of('completed').filter((id) => !ids.includes(id))).toEqual([]);
    // Those that ran on the killed ones, and those between their claim and their start.
    expect(of('lost').length).toBeGreaterThan(0);
    expect(of('lost').length).toBeLessThanOrEqual(2 * (10 + 8));
  });

  test('a frozen worker kills what was called lost when it wakes', async () => {
    const worker = await openWorker({ pools: ['frozen'] });
    await using stage = open('frozen');
    const handles = Array.from({ length: 5 }, () => start(stage, { command: 'sleep 300 & wait' }));
    const ends = countEnds(stage);
    await areUp(handles);
    await waitUntil(() => alive(handles).length === 10);

    process.kill(worker.pid, 'SIGSTOP');
    const views = await Promise.all(handles.map(({ ended }) => ended));
    const during = alive(handles).length;
    process.kill(worker.pid, 'SIGCONT');
    await waitUntil(() => alive(handles).length === 0);
    const next = await stage.supervisor.execute({ command: 'echo usable' });

    expect(new Set(views.map(({ status }) => status))).toEqual(new Set(['lost']));
    expect(during).toBe(10);
    expect(worker.complaints()).toContain('5 processes are killed, since they may have been called lost');
    expect(next).toMatchObject({ type: 'completed', stdout: 'usable\n' });
    expect([...ends.values()]).toEqual(Array(6).fill(1));
  });

  test('a killed leader costs no line and no process', async () => {
    await openWorker({ pools: ['leader'] });
    await using stage = open('leader');
    const handle = start(stage, { command: talks(stage.file('go')) });
    const quiet = start(stage, { command: ['sleep', '300'] });
    await areUp([handle, quiet]);
    await hears(handle, 200);

    for (const stream of [streams.logs, `KV_${streams.attempts}`]) {
      const node = await killLeader(stream);
      await hears(handle, 1_000);
      await node?.start();
      await hears(handle, 200);
    }
    writeFileSync(stage.file('go'), '');

    expect(await handle.ended).toMatchObject({ status: 'completed' });
    expectAllLines(handle);
    expect(quiet.status).toBe('backgrounded');
    expect(await quiet.kill()).toMatchObject({ type: 'killed' });
  });

  test('an outage of all servers costs no line and no process', async () => {
    await openWorker({ pools: ['outage'] });
    await using stage = open('outage');
    const handle = start(stage, { command: talks(stage.file('go')) });
    const quiet = start(stage, { command: ['sleep', '300'] });
    await areUp([handle, quiet]);
    await hears(handle, 200);

    await killAll();
    await delay(OUTAGE_MS);
    await startAll();
    await hears(handle, 2_000);
    writeFileSync(stage.file('go'), '');

    expect(await handle.ended).toMatchObject({ status: 'completed' });
    expectAllLines(handle);
    expect(quiet.status).toBe('backgrounded');
    expect(await quiet.kill()).toMatchObject({ type: 'killed' });
  });

  test('a client killed three times has the whole output in the end', async () => {
    using directory = tempDir();
    await openWorker({ pools: ['client'] });
    const options = { remote: { servers: cluster.urls, pool: 'client' } };
    const openHost = async () => {
      const host = await startPuppetHost(directory.path, { options });
      onTestFinished(() => host.kill());
      return host;
    };
    let host = await openHost();
    const spec = { command: talks(directory.file('go')), background: true, lifetime: 'persistent' };
    const { id } = await host.ask('start', spec);
    onTestFinished(() => endAll([], `/${id}/`));
    const count = async () => (await host.ask('view', id)).view.output.lines ?? 0;

    for (let kills = 0; kills < 3; kills += 1) {
      const wanted = (await count()) + 500;
      await waitUntil(async () => (await count()) >= wanted);
      await host.kill();
      host = await openHost();
    }
    const wanted = (await count()) + 500;
    await waitUntil(async () => (await count()) >= wanted);
    writeFileSync(directory.file('go'), '');
    const end = await host.ask('ended', id);

    expect(end).toMatchObject({ status: 'completed', exit: { code: 0 } });
    expectAllLines({ view: () => end });
  });

  test('a loud process waits out an outage in flat memory', async () => {
    const worker = await openWorker({ pools: ['loud'] });
    await using stage = open('loud');
    // About 53 MB, most of them after the servers are gone.
    const [first, last] = [100_000, 6_700_000];
    const script = `seq ${first}; until test -e ${stage.file('go')}; do sleep 0.02; done; seq ${first + 1} ${last}; exit`;
    const handle = start(stage, { command: script });
    await waitUntil(() => linesOf(handle) === first, { what: 'it prints' });
    const before = readResidentBytes(worker.pid);

    await killAll();
    writeFileSync(stage.file('go'), '');
    const seq = await waitUntil(() => carriers(`/${handle.id}/`).find((pid) => commandOf(pid)[0] === 'seq'));
    const written = await waitUntilHeld(seq);
    const growth = readResidentBytes(worker.pid) - before;
    await startAll();
    const { status, output } = await handle.ended;
    const after = readResidentBytes(worker.pid);

    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(10 * MIB);
    expect(status).toBe('completed');
    const bytes = readFileSync(output.logFile ?? '');
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(hashOfLines(last));
    expect(growth).toBeLessThan(30 * MIB);
    expect(after).toBeLessThan(250 * MIB);
  });
});

function readResidentBytes(pid: number): number {
  const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) * 1_024;
}

/** Resolves with the bytes that a process has written when it writes no more although it lives. */
async function waitUntilHeld(pid: number): Promise<number> {
  const read = () => Number(/^wchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1] ?? 0);
  let before = -1;
  for (;;) {
    const written = read();
    if (written > 0 && written === before) return written;
    before = written;
    await delay(1_000);
  }
}

function hashOfLines(last: number): string {
  const hash = createHash('sha256');
  for (let line = 1; line <= last; line += 100_000) {
    const count = Math.min(100_000, last + 1 - line);
    hash.update(Array.from({ length: count }, (_, index) => `${line + index}\n`).join(''));
  }
  return hash.digest('hex');
}

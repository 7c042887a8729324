import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { finalStatuses } from '../../machines/process/view.ts';
import type { CommandSpec, ProcessHandle } from '../../src/index.ts';
import type { WorkerOptions } from '../../src/remote/index.ts';
import { streams } from '../../src/spawn/remote/protocol.ts';
import { type Chance, createChance } from '../soak/chance.ts';
import { hasNatsServer, type NatsCluster, startNatsCluster } from '../support/nats.ts';
import { carriers, commandOf, endAll, tempDir, waitUntil } from '../support/os.ts';
import { startPuppetHost } from '../support/puppet-host.ts';
import type { RealHarness } from '../support/real.ts';
import { openAsker, startWorkerProgram, type WorkerProgram } from '../support/remote.ts';
import { isLong, volume } from '../support/volume.ts';

const MIB = 2 ** 20;
/** Length of an outage of all servers. */
const OUTAGE_MS = 3_000;

const sizes = isLong
  ? { lost: 300, starts: 600, kills: 4, lastLine: 45_700_000, rounds: 20 }
  : { lost: 50, starts: 100, kills: 2, lastLine: 6_700_000, rounds: 1 };
const within = isLong ? 900_000 : 120_000;
/** Drawn anew for each long run, and printed; the same in each short one. */
const seed = Number(process.env['TROUPE_SEED'] ?? (isLong ? Date.now() % 1_000_000 : 7));

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

/** Returns the log, which is created with the first output. */
const readLog = (handle: Pick<ProcessHandle, 'view'>) => {
  const file = handle.view().output.logFile ?? '';
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

const toLines = (count: number) =>
  [...Array.from({ length: count }, (_, n) => `line ${n}\n`), 'bye\n'].join('');

function expectAllLines(handle: Pick<ProcessHandle, 'view'>): void {
  const text = readLog(handle);
  expect(text).toBe(toLines(text.trimEnd().split('\n').length - 1));
}

const inCluster = describe.skipIf(!(await hasNatsServer()));

inCluster('on a cluster of three servers', { timeout: within }, () => {
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
    const worker = await openWorker({ pools: ['killed'], capacity: sizes.lost });
    await using stage = open('killed');
    const handles = Array.from({ length: sizes.lost }, () => start(stage, { command: 'sleep 300 & wait' }));
    const ends = countEnds(stage);
    await areUp(handles);
    await waitUntil(() => alive(handles).length === 2 * sizes.lost);

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
    await waitUntil(() => ends.size === sizes.lost);
    expect([...ends.values()]).toEqual(Array(sizes.lost).fill(1));
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

    const handles = Array.from({ length: sizes.starts }, () => start(stage, { command }));
    for (let kill = 0; kill < sizes.kills; kill += 1) {
      await waitUntil(() => started().length >= volume(20, 40) + (kill * sizes.starts) / (sizes.kills + 2));
      await workers.shift()?.kill();
      workers.push(await openWorker(options));
    }
    const views = await Promise.all(handles.map(({ ended }) => ended));

    const ids = started();
    const of = (status: string) => views.filter((view) => view.status === status).map(({ id }) => id);
    expect(ids).toHaveLength(new Set(ids).size);
    expect(of('completed').length + of('lost').length).toBe(sizes.starts);
    expect(of('completed').filter((id) => !ids.includes(id))).toEqual([]);
    // Those that ran on the killed ones, and those between their claim and their start.
    expect(of('lost').length).toBeGreaterThan(0);
    expect(of('lost').length).toBeLessThanOrEqual(sizes.kills * (10 + 8));
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

  /** Runs processes while things fail at random, and returns the laws that were broken. */
  const runRandomRound = async (pool: string, chance: Chance): Promise<string[]> => {
    using notes = tempDir();
    const file = notes.file('ids');
    writeFileSync(file, '');
    const options = { pools: [pool], capacity: 10 };
    const workers = await Promise.all(Array.from({ length: 3 }, () => openWorker(options)));
    await using stage = open(pool);
    const ends = countEnds(stage);
    const expected = new Map<ProcessHandle, number>();
    for (let count = 0; count < 50; count += 1) {
      const lines = 1 + chance.below(200);
      const script = `open F, ">>", "${file}"; print F "$ENV{TROUPE_PROCESS_ID}\\n"; close F; $| = 1; for (0..${lines - 1}) { print "line $_\\n"; select undef, undef, undef, 0.01 } print "bye\\n"`;
      expected.set(start(stage, { command: ['perl', '-e', script] }), lines);
    }
    const handles = [...expected.keys()];
    const mayBeLost: string[] = [];
    const killed = new Set<string>();
    let freezes = 0;

    for (let count = 1 + chance.below(4); count > 0; count -= 1) {
      await delay(200 + chance.below(1_500));
      const node = cluster.nodes[chance.below(cluster.nodes.length)];
      const worker = workers.shift() as WorkerProgram;
      const handle = handles[chance.below(handles.length)];
      switch (faults[chance.below(faults.length)]) {
        case 'kill worker':
          mayBeLost.push(worker.id);
          await worker.kill();
          workers.push(await openWorker(options));
          continue;
        case 'freeze worker':
          mayBeLost.push(worker.id);
          freezes += 1;
          process.kill(worker.pid, 'SIGSTOP');
          await delay(500 + chance.below(7_000));
          process.kill(worker.pid, 'SIGCONT');
          break;
        case 'kill server':
          await node?.kill();
          await delay(chance.below(2_000));
          await node?.start();
          break;
        case 'kill leader': {
          const leader = await killLeader(streams.logs);
          await delay(chance.below(2_000));
          await leader?.start();
          break;
        }
        case 'kill all servers':
          await killAll();
          await delay(500 + chance.below(3_000));
          await startAll();
          break;
        default:
          if (handle !== undefined && (await handle.kill()).type !== 'notRunning') killed.add(handle.id);
      }
      workers.push(worker);
    }
    const isOver = ({ status }: ProcessHandle) => finalStatuses.includes(status as never);
    await waitUntil(() => handles.every(isOver), { withinMs: 90_000, what: 'everything ends' });
    await waitUntil(() => alive(handles).length === 0, { what: 'nothing of them is alive' });
    await waitUntil(() => ends.size === handles.length, { what: 'each end is published' });
    for (const worker of workers) await worker.kill();

    const started = readFileSync(file, 'utf8').trimEnd().split('\n');
    /** True, too, where the output says that its end may be missing, with the name of a worker that was silent. */
    const hasAllOutput = (handle: ProcessHandle): boolean => {
      const all = toLines(expected.get(handle) ?? 0);
      const [text = '', silent] = readLog(handle).split('\n[troupe: the worker ');
      return silent === undefined
        ? text === all
        : all.startsWith(text) && mayBeLost.some((id) => silent.startsWith(`${id} was silent; the end`));
    };
    const isRight = (handle: ProcessHandle): boolean => {
      const view = handle.view();
      if (!('reason' in view) || ends.get(handle.id) !== 1) return false;
      const { reason } = view;
      switch (view.status) {
        case 'completed':
          return started.includes(handle.id) && hasAllOutput(handle);
        case 'killed':
          return killed.has(handle.id);
        case 'lost':
          return reason.type === 'lost' && mayBeLost.some((id) => reason.why.includes(id));
        default:
          // A worker that stood still kills what it has, perhaps before it is called lost.
          return freezes > 0 && reason.type === 'signalled' && reason.signal === 'SIGKILL';
      }
    };
    return [
      ...handles.filter((handle) => !isRight(handle)).map((handle) => JSON.stringify(handle.view())),
      ...started.filter((id, index) => started.indexOf(id) !== index).map((id) => `${id} started twice`),
    ];
  };

  test('random faults break no law', async () => {
    const chance = createChance(seed);
    for (let round = 1; round <= sizes.rounds; round += 1) {
      const broken = await runRandomRound(`random${round}`, chance);
      expect({ seed, round, broken }).toEqual({ seed, round, broken: [] });
    }
    if (isLong) console.log(`${sizes.rounds} random rounds, seed ${seed}: 0 laws broken`);
  });

  test('a loud process waits out an outage in flat memory', async () => {
    const worker = await openWorker({ pools: ['loud'] });
    await using stage = open('loud');
    // About 53 or 400 MB, most of them after the servers are gone.
    const [first, last] = [100_000, sizes.lastLine];
    const script = `seq ${first}; until test -e ${stage.file('go')}; do sleep 0.1; done; seq ${first + 1} ${last}; exit`;
    const handle = start(stage, { command: script, maxLogBytes: 2 ** 30 });
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

/** Faults that random rounds draw from. */
const faults = [
  'kill worker',
  'freeze worker',
  'kill server',
  'kill leader',
  'kill all servers',
  'kill process',
] as const;

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

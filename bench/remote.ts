import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pass } from 'node:timers/promises';
import { filter, firstValueFrom } from 'rxjs';
import { createSupervisor, type ProcessHandle, type Supervisor } from '../src/index.ts';
import { startNats, startNatsCluster } from '../test/support/nats.ts';
import { startWorkerProgram } from '../test/support/remote.ts';
import { type Answer, print, type Row } from './answer.ts';
import type { HoldSleepersInput } from './programs/hold-sleepers.ts';
import { alternate, type Finding, formatNumber, formatSpread, quantile, timeMs } from './rounds.ts';
import { type Start, waysToStart } from './spawn.ts';

const MB = 1_000_000;
const PRINTED_MB = 128;
const ROUNDS = 200;
const WARM_UPS = 10;
/** Pause before a measurement, so that the end of the one before is over. */
const PAUSE_MS = 20;
const SLEEPERS = 1_000;
const SPAN_MS = 10_000;

/** A way to run a command, and the supervisor that uses it. */
interface Way {
  readonly name: 'this machine' | 'one server' | 'three servers';
  readonly supervisor: Supervisor;
}

interface Servers {
  readonly one: string;
  readonly three: readonly string[];
}

export async function answerRemote(): Promise<Answer> {
  await using one = await startNats();
  await using three = await startNatsCluster();
  const servers = { one: one.url, three: three.urls };
  const rows: Row[] = [];
  {
    // Joining a cgroup takes 5 to 12 ms, and would hide the way to another host.
    await using opened = await openWays(servers, { cgroups: false });
    rows.push(...(await askStarts(opened.ways)));
  }
  {
    await using opened = await openWays(servers, { cgroups: true });
    rows.push(...(await askOutput(opened.ways)), ...(await askControl(opened.ways)));
  }
  rows.push(...(await askSleepers(one)));
  return {
    question: 'What does another host cost?',
    measured:
      `All programs and NATS servers share the cores of this machine, and the network is its loopback. From the order to the result of \`true\`, one after another, held by the lineage; ` +
      `${PRINTED_MB} MB of zeros from one command to its live reader; from the order to signal a sleeping process to the answer, and from the order to kill it to the proof that it is gone; and ${SLEEPERS} processes that sleep, after they have all started: ` +
      `resident memory, and CPU time over ${SPAN_MS / 1_000} s. These are held by cgroups where there are any.`,
    columns: ['what', 'with', 'figure', 'to this machine'],
    rows,
  };
}

async function openWays({ one, three }: Servers, options: { readonly cgroups: boolean }) {
  const workers = [
    await startWorkerProgram({ ...options, servers: one, capacity: 10 }),
    await startWorkerProgram({ ...options, servers: three, capacity: 10 }),
  ];
  const create = (servers: string | readonly string[] | null) =>
    createSupervisor({
      ...{ ...options, stateDirectory: false, maxBackgroundProcesses: 10 },
      ...(servers !== null && { remote: { servers, pool: 'default' } }),
    });
  const ways: readonly [Way, ...Way[]] = [
    { name: 'this machine', supervisor: create(null) },
    { name: 'one server', supervisor: create(one) },
    { name: 'three servers', supervisor: create(three) },
  ];
  return {
    ways,
    [Symbol.asyncDispose]: async () => {
      for (const { supervisor } of ways) await supervisor.shutdown();
      for (const worker of workers) await worker.leave();
    },
  };
}

const startGoals: Partial<Record<Way['name'], number>> = { 'one server': 2.5, 'three servers': 4 };

async function askStarts(ways: readonly [Way, ...Way[]]): Promise<readonly Row[]> {
  const contenders = ways.map(({ name, supervisor }) => ({
    name,
    run: () => timeAfterPause(() => supervisor.execute({ command: ['true'] })),
  }));
  const startRaw = waysToStart(ways[0].supervisor)['node:child_process'] as Start;
  const raw = { name: 'node:child_process, this machine', run: () => timeAfterPause(startRaw) };
  const findings = await alternate([...contenders, raw], { rounds: ROUNDS, warmUps: ROUNDS });
  return findings.map((finding) => {
    const most = startGoals[finding.name as Way['name']];
    return {
      cells: ['start of `true`', finding.name, `${formatSpread(finding)} ms`, toRatio(finding)],
      ...(most !== undefined && { goal: { text: `≤ ${most} ×`, isMet: finding.ratio <= most } }),
    };
  });
}

const LEAST_MB_PER_SECOND = 80;
const remains =
  'Command, worker, server and reader share two cores, which are busy throughout. The client of NATS copies every byte on both sides; collecting these copies is half of the reader’s time.';

async function askOutput(ways: readonly Way[]): Promise<readonly Row[]> {
  const bytes = PRINTED_MB * MB;
  const contenders = ways.map(({ name, supervisor }) => ({
    name,
    run: () =>
      timeMs(async () => {
        const command = ['head', '-c', `${bytes}`, '/dev/zero'];
        const { output } = await supervisor.start({ command, background: true }).ended;
        if (output.bytes !== bytes) throw new Error(`${output.bytes} of ${bytes} bytes arrived.`);
      }),
  }));
  const findings = await alternate(contenders, { rounds: 7, warmUps: 1 });
  return findings.map((finding) => {
    const speed = (ms: number) => (PRINTED_MB / ms) * 1_000;
    const [low, high] = finding.quartiles;
    const spread = formatSpread({
      ...finding,
      median: speed(finding.median),
      quartiles: [speed(high), speed(low)],
    });
    const isMet = speed(finding.median) >= LEAST_MB_PER_SECOND;
    return {
      cells: ['output', finding.name, `${spread} MB/s`, `${formatNumber(1 / finding.ratio)} of it`],
      ...(finding.name === 'one server' && { goal: { text: `≥ ${LEAST_MB_PER_SECOND} MB/s`, isMet } }),
      ...(finding.name === 'one server' && !isMet && { note: remains }),
    };
  });
}

const MOST_ROUND_TRIP_MS = 5;

/** Asks what a signal and a kill take. Few processes live meanwhile: each look at a tree reads them all. */
async function askControl(ways: readonly Way[]): Promise<readonly Row[]> {
  const asleep = new Map<Way, ProcessHandle>();
  for (const way of ways) asleep.set(way, await startSleeper(way));
  const signals = await compareControl('signal', ways, async (way) => async () => {
    // A process that does not handle it ignores it.
    const answer = await asleep.get(way)?.signal('SIGURG');
    if (answer?.ok !== true) throw new Error(answer?.message);
  });
  const kills = await compareControl('kill', ways, async (way) => {
    const handle = await startSleeper(way);
    return async () => {
      const answer = await handle.kill();
      if (answer.type !== 'killed') throw new Error(answer.message);
    };
  });
  return [...signals, ...kills];
}

async function compareControl(
  what: 'signal' | 'kill',
  ways: readonly Way[],
  prepare: (way: Way) => Promise<() => Promise<void>>,
): Promise<readonly Row[]> {
  const costs = new Map<string, number[]>(ways.map(({ name }) => [name, []]));
  const contenders = ways.map((way) => ({
    name: way.name,
    run: async () => {
      const ms = await timeAfterPause(await prepare(way));
      costs.get(way.name)?.push(ms);
      return ms;
    },
  }));
  const findings = await alternate(contenders, { rounds: ROUNDS, warmUps: WARM_UPS });
  return findings.map((finding) => {
    const p99 = quantile(costs.get(finding.name)?.slice(WARM_UPS) ?? [], 0.99);
    const figure = `${formatSpread(finding)} ms, p99 ${formatNumber(p99)}`;
    const isMet = finding.median < MOST_ROUND_TRIP_MS;
    return {
      cells: [what, finding.name, figure, toRatio(finding)],
      ...(what === 'signal' &&
        finding.name !== 'this machine' && { goal: { text: `< ${MOST_ROUND_TRIP_MS} ms`, isMet } }),
    };
  });
}

/** Starts a process that sleeps. Resolves when it runs: without a condition, one that waits for a worker counts as ready. */
async function startSleeper({ supervisor }: Way): Promise<ProcessHandle> {
  const handle = supervisor.start({ command: ['sleep', '1000'], background: true });
  await firstValueFrom(handle.view$.pipe(filter(({ status }) => status !== 'pending')));
  return handle;
}

const MOST_SHARE = 0.01;

/** Measures the programs that have to do with many idle processes: one here, then an asker, its worker and the server. */
async function askSleepers(server: { readonly url: string; readonly pid: number }): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const name = `${SLEEPERS} sleepers`;
  {
    await using local = await holdSleepers(null);
    const [holder] = await measurePrograms([local.pid]);
    rows.push({ cells: [name, 'this machine', describeIdle(holder), ''] });
  }
  await using worker = await startWorkerProgram({ servers: server.url, capacity: SLEEPERS });
  await using asker = await holdSleepers(server.url);
  const [asks, works, serves] = await measurePrograms([asker.pid, worker.pid, server.pid]);
  const isMet = (works?.share ?? 1) <= MOST_SHARE;
  rows.push(
    { cells: [name, 'asker', describeIdle(asks), ''] },
    { cells: [name, 'its worker', describeIdle(works), ''], goal: { text: '≤ 1 % of a core', isMet } },
    { cells: [name, 'the server', describeIdle(serves), ''] },
  );
  return rows;
}

interface Idle {
  readonly rssMb: number;
  /** Share of one core. */
  readonly share: number;
}

async function measurePrograms(pids: readonly number[]): Promise<readonly Idle[]> {
  // What the starts themselves leave to do is not idleness.
  await pass(3_000);
  const before = pids.map(readCpuSeconds);
  const ms = await timeMs(() => pass(SPAN_MS));
  return pids.map((pid, index) => ({
    rssMb: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_000,
    share: (readCpuSeconds(pid) - (before[index] ?? 0)) / (ms / 1_000),
  }));
}

/** Reads `utime` and `stime` of proc_pid_stat(5), which Linux counts in hundredths of a second. */
function readCpuSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function describeIdle(idle: Idle | undefined): string {
  return idle === undefined ? '' : `${formatNumber(idle.rssMb)} MB, ${(idle.share * 100).toFixed(2)} %`;
}

async function holdSleepers(servers: string | null) {
  const file = `${import.meta.dirname}/programs/hold-sleepers.ts`;
  const input = JSON.stringify({ count: SLEEPERS, servers } satisfies HoldSleepersInput);
  const child = spawn(process.execPath, [file, input], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await Promise.race([once(createInterface(child.stdout), 'line'), ended]);
  if (child.exitCode !== null) throw new Error(`${file} has ended with ${child.exitCode}.`);
  return {
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

async function timeAfterPause(work: () => Promise<unknown>): Promise<number> {
  await pass(PAUSE_MS);
  return timeMs(work);
}

function toRatio({ ratio }: Finding): string {
  return `${formatNumber(ratio)} ×`;
}

if (import.meta.main) print(await answerRemote());

import { setTimeout as pass } from 'node:timers/promises';
import { createSupervisor } from '../src/index.ts';
import { type Answer, print, type Row } from './answer.ts';
import { alternate, type Finding, formatNumber, formatSpread, quantile, timeMs } from './rounds.ts';
import { type Start, startMany, waysToStart } from './spawn.ts';

const MB = 1_000_000;
/** Interval of the timer that shows how long the event loop stands still. */
const TICK_MS = 1;
/** Pause before a start, as between the commands of an agent; the event loop turns meanwhile. */
const PAUSE_MS = 10;

const sizes = [
  { mb: 0, rounds: 60 },
  { mb: 500, rounds: 40 },
  { mb: 2_000, rounds: 20 },
] as const;

/** Memory of the host that nothing uses but `fork`. */
const ballast: Buffer[] = [];

function grow(mb: number): string {
  for (let left = mb * MB - process.memoryUsage.rss(); left > 0; left -= 50 * MB)
    ballast.push(Buffer.alloc(Math.min(left, 50 * MB), 1));
  return `${Math.round(process.memoryUsage.rss() / (10 * MB)) * 10} MB`;
}

/** Starts one after another, and measures how late a timer of one millisecond comes meanwhile. */
function createContender(name: string, start: Start) {
  const delaysMs: number[] = [];
  const run = async () => {
    let lastMs = performance.now();
    const timer = setInterval(() => {
      const nowMs = performance.now();
      delaysMs.push(nowMs - lastMs - TICK_MS);
      lastMs = nowMs;
    }, TICK_MS);
    await pass(PAUSE_MS);
    const ms = await timeMs(start);
    await pass(PAUSE_MS);
    clearInterval(timer);
    return ms;
  };
  return { name, run, heldMs: () => quantile(delaysMs, 0.99) };
}

async function ask({ mb, rounds }: (typeof sizes)[number]): Promise<readonly Row[]> {
  const host = grow(mb);
  // Starts in cgroups would slow the other contenders down: they hold a kernel lock that every fork takes.
  await using supervisor = createSupervisor({
    ...{ stateDirectory: false, maxParallelTools: 64, cgroups: false },
    // The rounds themselves make the smallest host grow.
    starter: mb === 0 ? false : 'auto',
  });
  const ways = Object.entries(waysToStart(supervisor));
  const one = ways.map(([name, start]) => createContender(name, start));
  const findings = await alternate(one, { rounds, warmUps: mb === 0 ? 400 : 5 });
  const many = ways.map(([name, start]) => ({
    name,
    run: async () => (await timeMs(() => startMany(start, { atOnce: 20, count: 20 }))) / 20,
  }));
  const atOnce = await alternate(many, { rounds: Math.ceil(rounds / 5), warmUps: 1 });
  const toRows = (kind: string, found: readonly Finding[], heldMs: (index: number) => number | null) =>
    found.map((finding, index) => toRow({ host, kind, finding, found, heldMs: heldMs(index) }));
  return [
    ...toRows('one by one', findings, (index) => one[index]?.heldMs() ?? null),
    ...toRows('20 at once', atOnce, () => null),
  ];
}

function toRow(row: {
  readonly host: string;
  readonly kind: string;
  readonly finding: Finding;
  readonly found: readonly Finding[];
  readonly heldMs: number | null;
}): Row {
  const { host, kind, finding, found, heldMs } = row;
  const held = heldMs === null ? '' : `${formatNumber(heldMs)} ms`;
  const cells = [host, kind, finding.name, formatSpread(finding), `${formatNumber(finding.ratio)} ×`, held];
  if (finding.name !== 'troupe') return { cells };
  const isSmall = ballast.length === 0;
  const isAhead = found.every(({ name, median }) => name === 'troupe' || finding.median < median);
  const isFast = isSmall && kind === 'one by one' ? finding.ratio <= 1.15 : isAhead;
  const isMet = isFast && (heldMs ?? 0) < 2;
  const speed = isSmall && kind === 'one by one' ? '≤ 1.15 ×' : 'ahead of all';
  const text = heldMs === null ? speed : `${speed}, < 2 ms`;
  return { cells, goal: { text, isMet }, ...(!isMet && { note: isSmall ? notes.small : notes.large }) };
}

const notes = {
  small:
    'It forks by itself, and the life of the process runs in the same thread: a dozen steps of the chart, reading who the process is, looking for what it left behind. Handing the start to the starter would cost 45 MB for another Node.',
  large:
    'Nothing is forked here. What is left is the life of the process in this thread, whose steps follow each other in few turns.',
};

export async function answerLargeHost(): Promise<Answer> {
  const rows: Row[] = [];
  for (const size of sizes) rows.push(...(await ask(size)));
  return {
    question: 'What does a start cost in a large program?',
    measured:
      'From the order to the result of `true`, by the resident memory of the program that starts it, which `fork` copies the map of; and how long ' +
      'one turn of its event loop in a hundred is at least held up meanwhile. From 256 MB on, troupe starts commands from a small process beside the program.',
    columns: ['host', 'starts', 'with', 'ms per process', 'to raw', 'event loop held up, p99'],
    rows,
  };
}

if (import.meta.main) print(await answerLargeHost());

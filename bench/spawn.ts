import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { execa } from 'execa';
import { x } from 'tinyexec';
import { createSupervisor, type Supervisor } from '../src/index.ts';
import { type Answer, print, type Row } from './answer.ts';
import { alternate, type Finding, find, formatNumber, formatSpread, timeMs } from './rounds.ts';

export type Start = () => Promise<unknown>;

/** As every other contender: both outputs read from pipes, no stdin, a session of its own. */
async function startRaw(): Promise<string> {
  const child = spawn('true', [], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  for (const pipe of [child.stdout, child.stderr]) pipe.on('data', (bytes: Buffer) => chunks.push(bytes));
  await once(child, 'close');
  return Buffer.concat(chunks).toString();
}

export const waysToStart = (supervisor: Supervisor): Readonly<Record<string, Start>> => ({
  'node:child_process': startRaw,
  troupe: () => supervisor.execute({ command: ['true'] }),
  execa: () => execa('true', { stdin: 'ignore', detached: true }),
  tinyexec: async () => x('true', [], { nodeOptions: { detached: true, stdio: ['ignore', 'pipe', 'pipe'] } }),
});

/** Starts `count` processes, never more than `atOnce` at the same time. */
export async function startMany(
  start: Start,
  { atOnce, count }: { atOnce: number; count: number },
): Promise<void> {
  let left = count;
  const lane = async () => {
    while (left > 0) {
      left -= 1;
      await start();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

interface Setting {
  readonly when: string;
  readonly atOnce: number;
  /** Processes in a round. */
  readonly count: number;
  readonly rounds: number;
  readonly warmUps: number;
  readonly goal?: { readonly text: string; readonly mostRatio: number };
  readonly note?: string;
}

const settings: readonly Setting[] = [
  {
    when: 'one by one, the first 80',
    atOnce: 1,
    count: 1,
    rounds: 80,
    warmUps: 2,
    note: 'No goal: the chart and its interpreter are more code than the others have, and V8 compiles it only after some hundred lives.',
  },
  {
    when: 'one by one, after 700',
    atOnce: 1,
    count: 1,
    rounds: 200,
    warmUps: 600,
    goal: { text: '≤ 1.25 ×, ahead of execa', mostRatio: 1.25 },
  },
  { when: '5 at once', atOnce: 5, count: 40, rounds: 20, warmUps: 1 },
  {
    when: '20 at once',
    atOnce: 20,
    count: 40,
    rounds: 20,
    warmUps: 1,
    goal: { text: '≥ 0.9 of the throughput (≤ 1.11 ×), ahead of execa', mostRatio: 1 / 0.9 },
  },
];

export async function answerSpawn(): Promise<Answer> {
  // Starts in cgroups would slow the other contenders down: they hold a kernel lock that every fork takes.
  await using supervisor = createSupervisor({ stateDirectory: false, maxParallelTools: 64, cgroups: false });
  const rows: Row[] = [];
  for (const setting of settings) {
    const { atOnce, count, rounds, warmUps } = setting;
    const contenders = Object.entries(waysToStart(supervisor)).map(([name, start]) => ({
      name,
      run: async () => (await timeMs(() => startMany(start, { atOnce, count }))) / count,
    }));
    const findings = await alternate(contenders, { rounds, warmUps });
    rows.push(...findings.map((finding) => toRow(finding, { setting, findings })));
  }
  rows.push(...(await askCgroups()));
  return {
    question: 'What does it cost to start a process?',
    measured:
      'From the order to the result of `true`, its output read from pipes, in a session of its own; held by the lineage, except in the last rows.',
    columns: ['processes', 'with', 'ms per process', 'to raw'],
    rows,
  };
}

/** Measures starts in cgroups. Returns no rows where cgroups are unavailable. */
async function askCgroups(): Promise<readonly Row[]> {
  await using supervisor = createSupervisor({ stateDirectory: false });
  const { held } = await supervisor.start({ command: ['true'] }).ended;
  if (held !== 'cgroup') return [];
  const contenders = [
    { name: 'node:child_process', run: () => timeMs(startRaw) },
    { name: 'troupe', run: () => timeMs(() => supervisor.execute({ command: ['true'] })) },
  ];
  const findings = await alternate(contenders, { rounds: 200, warmUps: 100 });
  return findings.map((finding) => {
    const cells = [
      'one by one, held by a cgroup',
      finding.name,
      formatSpread(finding),
      `${formatNumber(finding.ratio)} ×`,
    ];
    if (finding.name !== 'troupe') return { cells };
    const isMet = finding.ratio <= CGROUP_GOAL;
    return { cells, goal: { text: `≤ ${CGROUP_GOAL} ×`, isMet }, ...(!isMet && { note: joining }) };
  });
}

const CGROUP_GOAL = 1.25;
const joining =
  'The shell that joins the cgroup waits for an RCU grace period of the kernel before it becomes the command; the calling program does not wait. See decisions/cgroups.md.';

function toRow(finding: Finding, context: { setting: Setting; findings: readonly Finding[] }): Row {
  const { setting, findings } = context;
  const cells = [setting.when, finding.name, formatSpread(finding), `${formatNumber(finding.ratio)} ×`];
  if (finding.name !== 'troupe') return { cells };
  if (setting.goal === undefined) return { cells, ...(setting.note !== undefined && { note: setting.note }) };
  const { text, mostRatio } = setting.goal;
  const isMet = finding.ratio <= mostRatio && finding.ratio < find(findings, 'execa').ratio;
  return { cells, goal: { text, isMet }, ...(!isMet && { note: remains }) };
}

const remains =
  'What comes on top is the life itself: a dozen steps of the chart, taking down who the process is, and looking at its end for what it ' +
  'left behind. All of it runs in the one thread that also starts the processes, so it cannot hide behind them when many start at once.';

if (import.meta.main) print(await answerSpawn());

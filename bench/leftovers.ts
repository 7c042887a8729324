import { setTimeout as pass } from 'node:timers/promises';
import { createSupervisor } from '../src/index.ts';
import { type Answer, judge, print } from './answer.ts';

const LEFTOVERS = 300;
const SPAN_MS = 10_000;
/** Age at which leftovers are measured again: an agent's daemons live for hours. */
const AGED_MS = 60_000;
const MOST = 0.01;

async function measureShare(): Promise<number> {
  const startMs = performance.now();
  const before = process.cpuUsage();
  await pass(SPAN_MS);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / (performance.now() - startMs);
}

async function measure(cgroups: boolean): Promise<{ readonly fresh: number; readonly aged: number }> {
  await using supervisor = createSupervisor({ stateDirectory: false, cgroups, maxParallelTools: 10 });
  for (let count = 0; count < LEFTOVERS; count += 10)
    await Promise.all(
      Array.from({ length: 10 }, () => supervisor.execute({ command: 'sleep 1000 >/dev/null 2>&1 &' })),
    );
  const startMs = performance.now();
  const fresh = await measureShare();
  await pass(AGED_MS - (performance.now() - startMs));
  return { fresh, aged: await measureShare() };
}

export async function answerLeftovers(): Promise<Answer> {
  const empty = await measureShare();
  const lineage = await measure(false);
  const cgroup = await measure(true);
  const format = (share: number) => `${(share * 100).toFixed(2)} %`;
  const judgeShare = (share: number) => judge('< 1 %', share < MOST);
  return {
    question: 'What do leftovers cost?',
    measured: `CPU time of the supervising program over ${SPAN_MS / 1_000} s with ${LEFTOVERS} leftovers, right after their processes ended and a minute later.`,
    columns: ['leftovers', 'age', 'of one core'],
    rows: [
      { cells: ['none, no supervisor', '', format(empty)] },
      { cells: ['held by the lineage', 'fresh', format(lineage.fresh)] },
      { cells: ['held by the lineage', '1 min', format(lineage.aged)], ...judgeShare(lineage.aged) },
      { cells: ['held by a cgroup', 'fresh', format(cgroup.fresh)] },
      { cells: ['held by a cgroup', '1 min', format(cgroup.aged)], ...judgeShare(cgroup.aged) },
    ],
  };
}

if (import.meta.main) print(await answerLeftovers());

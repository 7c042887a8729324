import type { Clock } from '../clock/clock.ts';
import { createUsageMeter, type ProcessUsage } from '../spawn/tree/tree-usage.ts';
import { type ProcessView, toLocalPid } from './process-view.ts';

/** Measures living processes. Returns nothing for those that have no operating-system process on this machine, and without `/proc`. */
export type ReadUsage = (views: readonly ProcessView[]) => Promise<ReadonlyMap<string, ProcessUsage>>;

/** Creates a meter of processes; shares of CPU time count from its last call. */
export function createUsageReader({
  clock,
  findPorts,
}: {
  readonly clock: Clock;
  readonly findPorts: (pids: readonly number[]) => Promise<readonly number[]>;
}): ReadUsage {
  const meter = createUsageMeter({ clock });
  return async (views) => {
    const leaders = views.flatMap((view) => {
      const pid = toLivePid(view);
      return pid === null ? [] : [{ id: view.id, pid }];
    });
    const usages = meter.measure(leaders.map(({ pid }) => pid));
    // Most listen on no port: then the sockets of the machine are read only once.
    const isServing = (await findPorts([...usages.values()].flatMap(({ pids }) => pids))).length > 0;
    const measured = new Map<string, ProcessUsage>();
    for (const { id, pid } of leaders) {
      const usage = usages.get(pid);
      if (usage === undefined) continue;
      const { pids, ...figures } = usage;
      const ports = isServing ? await findPorts(pids) : [];
      measured.set(id, { ...figures, processes: pids.length, ports });
    }
    return measured;
  };
}

/** Returns the pid of the leader while it lives on this machine; `null` otherwise. */
function toLivePid(view: ProcessView): number | null {
  return 'endedAt' in view ? null : toLocalPid({ host: view.host, view });
}

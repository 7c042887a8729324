import type { ExitStatus, ProcessEnd } from '../../machines/process/context.ts';
import type { SpawnRequest, ToldFact } from './backend.ts';
import { readCgroupUsage } from './cgroup/cgroup-usage.ts';
import { toExceeded } from './limits.ts';

/** Figures of a leader that were read before its exit was collected. */
export type LeaderFigures = Pick<ProcessEnd, 'cpuMs' | 'readBytes' | 'writtenBytes'>;

/** Returns the fact that the leader has exited, with the figures of its cgroup, or else its own. */
export function toExitFact(
  exit: ExitStatus,
  {
    request,
    cgroup,
    figures = null,
  }: {
    readonly request: Pick<SpawnRequest, 'limits'>;
    readonly cgroup: string | null;
    readonly figures?: LeaderFigures | null;
  },
): Extract<ToldFact, { type: 'process.exited' }> {
  const usage = cgroup === null ? null : readCgroupUsage(cgroup);
  return {
    type: 'process.exited',
    exit,
    facts: {
      cpuMs: usage?.cpuMs ?? figures?.cpuMs ?? null,
      peakMemoryBytes: usage?.peakMemoryBytes ?? null,
      readBytes: usage?.readBytes ?? figures?.readBytes ?? null,
      writtenBytes: usage?.writtenBytes ?? figures?.writtenBytes ?? null,
    },
    exceeded: toExceeded(exit, { limits: request.limits, oomKills: usage?.oomKills ?? 0 }),
  };
}

import { formatDuration } from '../config/format-duration.ts';
import type { AppliedLimits } from '../config/resource-limits.ts';
import { formatBytes } from '../output/cut-text.ts';
import type { ProcessUsage } from '../spawn/tree/tree-usage.ts';
import type { ProcessView } from './process-view.ts';

type Figures = { readonly [Name in Exclude<keyof ProcessUsage, 'cpuShare'>]?: ProcessUsage[Name] | null };

/** Describes what a process uses and has used; unknown figures and disks without traffic are left out. Empty without any figure. */
export function describeUsage(figures: Figures): string {
  const { processes, cpuMs, memoryBytes, peakMemoryBytes, readBytes, writtenBytes, ports = [] } = figures;
  const peak = peakMemoryBytes == null ? null : `${formatBytes(peakMemoryBytes)} at most`;
  const parts = [
    ...(processes == null ? [] : [`${processes} ${processes === 1 ? 'process' : 'processes'}`]),
    ...(cpuMs == null ? [] : [`${formatDuration(cpuMs)} of CPU time`]),
    ...(memoryBytes == null ? [] : [`${formatBytes(memoryBytes)} of memory`]),
    ...(peak === null ? [] : [memoryBytes == null ? `memory ${peak}` : peak]),
    ...(readBytes ? [`${formatBytes(readBytes)} read from disks`] : []),
    ...(writtenBytes ? [`${formatBytes(writtenBytes)} written to disks`] : []),
    ...(ports === null || ports.length === 0 ? [] : [`listens on ${ports.join(', ')}`]),
  ];
  return parts.join(', ');
}

/** Describes the final figures of an ended process; empty for others and where none is known. */
export function describeFinalUsage(view: ProcessView): string {
  // Absent in records of older versions.
  return 'endedAt' in view ? describeUsage(view) : '';
}

/** Describes limits on what a process may use. */
export function describeLimits(limits: AppliedLimits): string {
  const { memoryBytes, memoryOf, processes, cpus, openFiles, fileBytes, nice, oomScoreAdj } = limits;
  const each = memoryOf === 'process' ? ' for each process' : '';
  const parts = [
    ...(memoryBytes === undefined ? [] : [`${formatBytes(memoryBytes)} of memory${each}`]),
    ...(processes === undefined ? [] : [`${processes} ${processes === 1 ? 'process' : 'processes'}`]),
    ...(cpus === undefined ? [] : [`${cpus} of a processor`]),
    ...(openFiles === undefined ? [] : [`${openFiles} open files`]),
    ...(fileBytes === undefined ? [] : [`files of ${formatBytes(fileBytes)}`]),
  ];
  const others = [
    ...(nice === undefined ? [] : [`niceness ${nice}`]),
    ...(oomScoreAdj === undefined ? [] : [`oom_score_adj ${oomScoreAdj}`]),
  ];
  const most = parts.length === 0 ? [] : [`at most ${parts.join(', ')}`];
  return [...most, ...others].join('; ');
}

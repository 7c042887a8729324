import { readdir, rm, stat } from 'node:fs/promises';
import type { Cancel } from '../clock/clock.ts';
import { isOwnId } from '../config/own-id.ts';
import type { SupervisorSettings } from '../config/supervisor-options.ts';
import { tailPathOf } from '../output/log-map.ts';
import { timesPathOf } from '../output/output-times.ts';
import type { FinalView } from '../process/process-view.ts';
import type { TimelineEntry } from '../process/timeline.ts';
import { hasPendingNotice } from '../process/timeline.ts';
import { toCookie } from '../spawn/environment.ts';
import type { StatePaths } from '../store/state-paths.ts';
import type { Runtime } from './runtime.ts';
import type { SupervisorDeps } from './supervisor-deps.ts';

/** Interval of checks for ended processes past their retention. */
const SWEEP_EVERY_MS = 60_000;

/** Sweeps between two reads of the log directory, which is read once an hour because logs are kept for days. */
const SWEEPS_FOR_LOGS = 60;

/** Forgets old processes and removes old logs in the background, until cancelled. */
export function sweepRegularly(runtime: Runtime, deps: SupervisorDeps): Cancel {
  const { clock } = deps;
  let sweeps = 0;
  const sweepLater = () => clock.at(clock.nowMs() + SWEEP_EVERY_MS, sweep, { idle: true });
  const sweep = () => {
    forgetOld(runtime, deps);
    if (sweeps % SWEEPS_FOR_LOGS === 0) void removeOldLogs(runtime, deps);
    sweeps += 1;
    cancel = sweepLater();
  };
  let cancel = sweepLater();
  return () => cancel();
}

/**
 * Returns `true` if the retention of an ended process is over. A persistent process with an undelivered end is kept as long as its
 * log; so is a process with an id of the caller's choice, which must not be started again.
 */
export function isPastRetention(
  { view, timeline }: { view: FinalView; timeline: readonly TimelineEntry[] },
  { settings, nowAt }: { settings: SupervisorSettings; nowAt: number },
): boolean {
  const isKeptLong = isOwnId(view.id) || hasPendingNotice({ view, timeline });
  const keptMs = isKeptLong ? Math.max(settings.logRetention, settings.retention) : settings.retention;
  // A supervisor may discover the end long after it.
  const knownAt = timeline.findLast(({ type }) => type === 'process.ended')?.at ?? view.endedAt;
  return knownAt < nowAt - keptMs;
}

/** Forgets processes that ended longer ago than `retention`, and returns their number. */
export function forgetOld({ registry }: Runtime, { clock, settings }: SupervisorDeps): number {
  const nowAt = clock.epochMs();
  const old = [...registry.ended.values()].filter((process) => {
    const ended = { view: process.view() as FinalView, timeline: process.timeline.entries };
    return isPastRetention(ended, { settings, nowAt }) && !process.life.hasLeftovers;
  });
  for (const { id } of old) registry.remove(id);
  return old.length;
}

/** Forgets all ended processes without leftovers, and removes their logs. */
export async function forgetAll(
  { registry }: Runtime,
  { paths }: SupervisorDeps,
): Promise<{ forgotten: number; logsRemoved: number }> {
  const ended = [...registry.ended.values()].filter(({ life }) => !life.hasLeftovers);
  for (const { id } of ended) registry.remove(id);
  const logs = paths === null ? [] : ended.flatMap(({ id }) => outputFilesOf(id, paths));
  const removed = await Promise.all(
    logs.map((path) =>
      rm(path).then(
        () => path.endsWith('.log'),
        () => false,
      ),
    ),
  );
  return { forgotten: ended.length, logsRemoved: removed.filter(Boolean).length };
}

/** Removes logs that were not written to for `logRetention` and whose process is not alive; returns their number. */
export async function removeOldLogs(runtime: Runtime, deps: SupervisorDeps): Promise<number> {
  const old = await findOldLogs(runtime, deps);
  if (old.length === 0) return 0;
  // A silent process of another supervisor in this directory may be alive.
  const entries = (await deps.table?.list()) ?? [];
  let removed = 0;
  for (const { id, files } of old) {
    const alive = (await deps.table?.filterCarriers(toCookie(id), entries)) ?? [];
    if (alive.length > 0) continue;
    const done = await Promise.allSettled(files.map((file) => rm(file, { force: true })));
    if (done.every(({ status }) => status === 'fulfilled')) removed += 1;
  }
  return removed;
}

async function findOldLogs(
  { registry }: Runtime,
  { paths, settings, clock }: SupervisorDeps,
): Promise<readonly { readonly id: string; readonly files: readonly string[] }[]> {
  if (paths === null) return [];
  const names = await readdir(paths.processes).catch(() => []);
  const ids = new Set(names.flatMap((name) => OUTPUT_FILE.exec(name)?.[1] ?? []));
  const old: { id: string; files: readonly string[] }[] = [];
  for (const id of ids) {
    if (registry.live.has(id) || registry.ended.get(id)?.life.hasLeftovers) continue;
    const files = outputFilesOf(id, paths);
    const writtenAt = Math.max(...(await Promise.all(files.map(readWrittenAt))));
    if (clock.epochMs() - writtenAt > settings.logRetention) old.push({ id, files });
  }
  return old;
}

/** Returns the paths of the log and of all files that are removed with it. */
export function outputFilesOf(id: string, { logOf, statusOf, screenOf }: StatePaths): readonly string[] {
  const log = logOf(id);
  return [log, tailPathOf(log), timesPathOf(log), statusOf(id), screenOf(id)];
}

const OUTPUT_FILE = /^(.+?)\.(?:log|log\.tail|log\.times|status|screen)$/;

async function readWrittenAt(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.mtimeMs ?? 0;
}

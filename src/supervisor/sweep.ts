import { readdir, rm, stat } from 'node:fs/promises';
import type { SupervisorSettings } from '../config/supervisor-options.ts';
import type { FinalView } from '../process/process-view.ts';
import type { TimelineEntry } from '../process/timeline.ts';
import { toCookie } from '../spawn/environment.ts';
import type { Ground } from './ground.ts';
import type { Runtime } from './runtime.ts';

/**
 * Whether an ended process was kept for long enough. One that was to outlive its owner, and whose end nobody was told of, waits for the
 * owner as long as its log is there.
 */
export function isPastRetention(
  { view, timeline }: { view: FinalView; timeline: readonly TimelineEntry[] },
  { settings, nowAt }: { settings: SupervisorSettings; nowAt: number },
): boolean {
  const waits = view.lifetime === 'persistent' && !timeline.some(({ event }) => event === 'notified');
  return view.endedAt < nowAt - (waits ? settings.logRetention : settings.retention);
}

/** Forgets processes that ended longer ago than `retention`; how many. */
export function forgetOld({ registry, leftovers }: Runtime, { clock, settings }: Ground): number {
  const nowAt = clock.epochMs();
  const old = [...registry.ended.values()].filter((process) => {
    const ended = { view: process.view() as FinalView, timeline: process.timeline() };
    return isPastRetention(ended, { settings, nowAt }) && !leftovers.ids.includes(process.id);
  });
  for (const { id } of old) registry.remove(id);
  return old.length;
}

/** Forgets every process that has ended, but for those that left something alive, and removes their logs. */
export async function forgetAll(
  { registry, leftovers }: Runtime,
  { paths }: Ground,
): Promise<{ forgotten: number; logsRemoved: number }> {
  const ended = [...registry.ended.values()].filter(({ id }) => !leftovers.ids.includes(id));
  for (const { id } of ended) registry.remove(id);
  const logs = paths === null ? [] : ended.flatMap(({ id }) => [paths.logOf(id), paths.statusOf(id)]);
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

/** Removes logs that nobody has written to for `logRetention` and whose process is not alive; how many. */
export async function removeOldLogs({ registry, leftovers }: Runtime, ground: Ground): Promise<number> {
  const { paths, settings, clock } = ground;
  if (paths === null) return 0;
  const names = await readdir(paths.processes).catch(() => []);
  const ids = new Set(names.flatMap((name) => OUTPUT_FILE.exec(name)?.[1] ?? []));
  const isInUse = (id: string) => registry.live.has(id) || leftovers.ids.includes(id);
  const removed = await Promise.all(
    [...ids].map(async (id) => {
      if (isInUse(id)) return false;
      const files = [paths.logOf(id), paths.statusOf(id)];
      const writtenAt = Math.max(...(await Promise.all(files.map(readWrittenAt))));
      if (clock.epochMs() - writtenAt <= settings.logRetention) return false;
      if (await isAliveElsewhere(id, ground)) return false;
      return Promise.all(files.map((file) => rm(file, { force: true }))).then(
        () => true,
        () => false,
      );
    }),
  );
  return removed.filter(Boolean).length;
}

/** A log, and what stands beside it of a process that writes its log itself. */
const OUTPUT_FILE = /^(.+)\.(?:log|status)$/;

async function readWrittenAt(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.mtimeMs ?? 0;
}

/** Whether a process of another supervisor in this directory is alive, silent as it may be. */
async function isAliveElsewhere(id: string, { table }: Ground): Promise<boolean> {
  if (table === null) return false;
  return (await table.carrying(toCookie(id), await table.list())).length > 0;
}

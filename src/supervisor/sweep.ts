import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { toCookie } from '../spawn/environment.ts';
import type { Ground } from './ground.ts';
import type { Runtime } from './runtime.ts';

/** Forgets processes that ended longer ago than `retention`; how many. */
export function forgetOld({ registry, leftovers }: Runtime, { clock, settings }: Ground): number {
  const beforeAt = clock.epochMs() - settings.retention;
  const old = [...registry.ended.values()].filter(
    ({ id, life }) => (life.times.endedAt ?? 0) < beforeAt && !leftovers.ids.includes(id),
  );
  for (const { id } of old) registry.remove(id);
  return old.length;
}

/** Removes logs that nobody has written to for `logRetention` and whose process is not alive here; how many. */
export async function removeOldLogs({ registry, leftovers }: Runtime, ground: Ground): Promise<number> {
  const { logDirectory, settings, clock } = ground;
  if (logDirectory === null) return 0;
  const isInUse = (id: string) => registry.live.has(id) || leftovers.ids.includes(id);
  const names = await readdir(logDirectory).catch(() => []);
  const logs = names.filter((name) => name.endsWith('.log') && !isInUse(name.slice(0, -'.log'.length)));
  const removed = await Promise.all(
    logs.map(async (name) => {
      const path = join(logDirectory, name);
      const age = clock.epochMs() - ((await stat(path).catch(() => null))?.mtimeMs ?? clock.epochMs());
      if (age <= settings.logRetention || (await isWrittenElsewhere(name, ground))) return false;
      return rm(path).then(
        () => true,
        () => false,
      );
    }),
  );
  return removed.filter(Boolean).length;
}

/** Whether a process of another supervisor in this directory is alive, silent as it may be. */
async function isWrittenElsewhere(logName: string, { table }: Ground): Promise<boolean> {
  if (table === null) return false;
  const carriers = await table.carrying(toCookie(logName.slice(0, -'.log'.length)), await table.list());
  return carriers.length > 0;
}

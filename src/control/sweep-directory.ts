import { readdirSync, rmSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { type SupervisorSettings, supervisorOptions } from '../config/supervisor-options.ts';
import { tailPathOf } from '../output/log-map.ts';
import type { FinalView } from '../process/process-view.ts';
import { isPastRetention } from '../supervisor/sweep.ts';
import type { DirectoryGround } from './directory-ground.ts';
import { listDirectory } from './list-directory.ts';
import { isCode } from './peers.ts';
import type { SeenProcess } from './state-directory.ts';

export interface Swept {
  readonly forgotten: number;
  readonly logsRemoved: number;
  readonly freedBytes: number;
}

interface Sweeping {
  readonly all: boolean;
  readonly settings: SupervisorSettings;
}

/**
 * Each supervisor sweeps its own; what those that are gone have left is swept here, and their entries with it. What was removed is
 * counted by what is not there any more.
 */
export async function sweepDirectory(
  ground: DirectoryGround,
  { all, dryRun }: { all: boolean; dryRun: boolean },
): Promise<Swept> {
  const sweeping: Sweeping = { all, settings: supervisorOptions.parse({}) };
  const before = readFiles(ground);
  const past = await findPast(ground, sweeping);
  const doomed = [
    ...findOldLogs(ground, { ...sweeping, files: before }),
    ...past.flatMap(filesOf(ground, sweeping)),
  ];
  if (dryRun) return count(before, { forgotten: past.length, gone: new Set(doomed) });

  const asked = ground.peers.list().map((peer) =>
    ground.peers.ask(peer, { method: 'sweep', params: { all } }).catch((error: unknown) => {
      if (isCode(error, 'unreachable')) return { forgotten: 0 };
      throw error;
    }),
  );
  const forgotten = (await Promise.all(asked)).reduce((sum, each) => sum + each.forgotten, 0);
  const orphans = past.filter(({ answered }) => !answered);
  const doomedHere = [
    ...findOldLogs(ground, { ...sweeping, files: before }),
    ...orphans.flatMap(filesOf(ground, sweeping)),
  ];
  for (const path of doomedHere) rmSync(path, { force: true });
  for (const { entry, state } of ground.roll.list()) if (state === 'dead') ground.roll.leave(entry.id);
  const after = readFiles(ground);
  const gone = new Set([...before.keys()].filter((path) => !after.has(path)));
  return count(before, { forgotten: forgotten + orphans.length, gone });
}

/** Those that are to be forgotten; who left something alive stays known by its id. */
async function findPast(
  ground: DirectoryGround,
  { all, settings }: Sweeping,
): Promise<readonly SeenProcess[]> {
  const { processes } = await listDirectory(ground);
  return processes.filter(({ view, answered, supervisorId }) => {
    if (!('endedAt' in view) || view.leftovers.length > 0) return false;
    if (!answered && ground.roll.stateOf(supervisorId) !== 'dead') return false;
    return all || isPast(ground, { view, settings });
  });
}

function isPast(
  { store, clock }: DirectoryGround,
  { view, settings }: { view: FinalView; settings: SupervisorSettings },
): boolean {
  const timeline = store.read(view.id)?.timeline ?? [];
  return isPastRetention({ view, timeline }, { settings, nowAt: clock.epochMs() });
}

/** A log outlives its record, unless all is to go. */
function filesOf({ paths }: DirectoryGround, { all }: Sweeping) {
  return ({ view }: SeenProcess): readonly string[] => {
    const log = paths.logOf(view.id);
    const record = [paths.recordOf(view.id), paths.statusOf(view.id)];
    return all ? [...record, log, tailPathOf(log)] : record;
  };
}

/** Logs that nobody has written to for long, and of which nobody knows any more whose they are. */
function findOldLogs(
  { paths, clock }: DirectoryGround,
  { settings, files }: Sweeping & { files: ReadonlyMap<string, Stats> },
): readonly string[] {
  const oldAt = clock.epochMs() - settings.logRetention;
  return [...files].flatMap(([path, { mtimeMs }]) => {
    const isLog = path.endsWith('.log');
    if (!isLog || mtimeMs >= oldAt) return [];
    const id = path.slice(paths.processes.length + 1, -'.log'.length);
    // A record that cannot be read may tell of it all the same.
    return files.has(join(paths.processes, `${id}.json`)) ? [] : [path];
  });
}

const isKept = /^[\w-]+\.(json|log|log\.tail|status)$/;

function readFiles({ paths }: DirectoryGround): ReadonlyMap<string, Stats> {
  const files = new Map<string, Stats>();
  for (const name of listNames(paths.processes)) {
    // What somebody is just writing goes without us.
    if (!isKept.test(name)) continue;
    const path = join(paths.processes, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined) files.set(path, stats);
  }
  return files;
}

function count(
  before: ReadonlyMap<string, Stats>,
  { forgotten, gone }: { forgotten: number; gone: ReadonlySet<string> },
): Swept {
  const removed = [...before].filter(([path]) => gone.has(path));
  return {
    forgotten,
    logsRemoved: removed.filter(([path]) => path.endsWith('.log')).length,
    // A log may have holes.
    freedBytes: removed.reduce((sum, [, { blocks, size }]) => sum + Math.min(size, blocks * 512), 0),
  };
}

function listNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

import { lstatSync, readdirSync, rmSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { toErrorText } from '../config/error-text.ts';
import { type SupervisorSettings, supervisorOptions } from '../config/supervisor-options.ts';
import { type Peer, QUICK } from '../control/protocol.ts';
import { tailPathOf } from '../output/log-map.ts';
import { timesPathOf } from '../output/output-times.ts';
import type { FinalView } from '../process/process-view.ts';
import { createEnvironmentStore } from '../store/environment-store.ts';
import { isPastRetention, outputFilesOf } from '../supervisor/sweep.ts';
import { unregisterDead } from '../supervisor/unregister-dead.ts';
import type { DirectoryDeps } from './directory-deps.ts';
import { listDirectory } from './list-directory.ts';
import type { SeenProcess } from './state-directory.ts';

interface Swept {
  readonly forgotten: number;
  readonly logsRemoved: number;
  readonly freedBytes: number;
  /** Sentences, one for each supervisor that did not answer and removed nothing. */
  readonly warnings: readonly string[];
}

interface SweepSettings {
  readonly all: boolean;
  readonly settings: SupervisorSettings;
}

/**
 * Lets each supervisor sweep its own processes, and sweeps here what dead supervisors left, including their entries.
 * The counts cover actual removals only.
 */
export async function sweepDirectory(
  deps: DirectoryDeps,
  { all, dryRun }: { all: boolean; dryRun: boolean },
): Promise<Swept> {
  const sweepSettings: SweepSettings = { all, settings: supervisorOptions.parse({}) };
  const before = readFiles(deps);
  const past = await findPast(deps, sweepSettings);
  const oldLogs = findOldLogs(deps, { ...sweepSettings, files: before });
  if (dryRun) {
    const gone = new Set([...oldLogs, ...past.flatMap(filesOf(deps, sweepSettings))]);
    return count(before, { forgotten: past.length, gone, warnings: [] });
  }

  const answers = await Promise.all(deps.peers.list().map((peer) => askToSweep(peer, { deps, all })));
  const forgotten = answers.reduce((sum, each) => sum + each.forgotten, 0);
  const warnings = answers.flatMap(({ warning }) => (warning === null ? [] : [warning]));
  const orphans = past.filter(({ answered }) => !answered);
  for (const path of [...oldLogs, ...orphans.flatMap(filesOf(deps, sweepSettings))])
    rmSync(path, { force: true });
  unregisterDead({
    ...{ supervisors: deps.registry, paths: deps.paths },
    environments: createEnvironmentStore(deps.paths),
  });
  const after = readFiles(deps);
  const gone = new Set([...before.keys()].filter((path) => !after.has(path)));
  return count(before, { forgotten: forgotten + orphans.length, gone, warnings });
}

async function askToSweep(
  peer: Peer,
  { deps: { peers, registry }, all }: { deps: DirectoryDeps; all: boolean },
): Promise<{ readonly forgotten: number; readonly warning: string | null }> {
  try {
    const request = { method: 'sweep', params: { all } } as const;
    const { forgotten } = await peers.ask(peer, request, QUICK);
    return { forgotten, warning: null };
  } catch (error) {
    // It ended while it was asked, which is expected.
    if (registry.stateOf(peer.id) !== 'alive') return { forgotten: 0, warning: null };
    const what = `Supervisor ${peer.id} (pid ${peer.pid}) could not be asked, so its processes were not swept`;
    return { forgotten: 0, warning: `${what}: ${toErrorText(error)}` };
  }
}

/** Finds processes to remove. Those with live leftovers stay known by id. */
async function findPast(
  deps: DirectoryDeps,
  { all, settings }: SweepSettings,
): Promise<readonly SeenProcess[]> {
  const { processes } = await listDirectory(deps);
  return processes.filter(({ view, answered, supervisorId }) => {
    if (!('endedAt' in view) || view.leftovers.length > 0) return false;
    if (!answered && deps.registry.stateOf(supervisorId) !== 'dead') return false;
    return all || isPast(deps, { view, settings });
  });
}

function isPast(
  { store, clock }: DirectoryDeps,
  { view, settings }: { view: FinalView; settings: SupervisorSettings },
): boolean {
  const timeline = store.read(view.id)?.timeline ?? [];
  return isPastRetention({ view, timeline }, { settings, nowAt: clock.epochMs() });
}

/** Lists the files of a process; its log outlives its record unless everything is to go. */
function filesOf({ paths }: DirectoryDeps, { all }: SweepSettings) {
  return ({ view }: SeenProcess): readonly string[] => {
    const record = [paths.recordOf(view.id), paths.statusOf(view.id)];
    return all ? [...record, ...outputFilesOf(view.id, paths)] : record;
  };
}

/** Finds logs that were not written to for long and have no record any more. */
function findOldLogs(
  { paths, clock }: DirectoryDeps,
  { settings, files }: SweepSettings & { files: ReadonlyMap<string, Stats> },
): readonly string[] {
  const oldAt = clock.epochMs() - settings.logRetention;
  return [...files].flatMap(([path, { mtimeMs }]) => {
    const [, name] = oldFile.exec(path) ?? [];
    if (name === undefined || mtimeMs >= oldAt) return [];
    const id = name.slice(paths.processes.length + 1);
    // An unreadable record may still describe it.
    if (files.has(join(paths.processes, `${id}.json`))) return [];
    return [path, tailPathOf(path), timesPathOf(path)].filter((each) => files.has(each));
  });
}

/** Matches files that are useless without a record. */
const oldFile = /^(.*)\.(?:log|screen)$/;

const isKept = /^[\w-]+\.(json|log|log\.tail|log\.times|status|screen)$/;

function readFiles({ paths }: DirectoryDeps): ReadonlyMap<string, Stats> {
  const files = new Map<string, Stats>();
  for (const name of listNames(paths.processes)) {
    // Files being written are left to their writers.
    if (!isKept.test(name)) continue;
    const path = join(paths.processes, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats !== undefined) files.set(path, stats);
  }
  return files;
}

function count(
  before: ReadonlyMap<string, Stats>,
  { forgotten, gone, warnings }: Pick<Swept, 'forgotten' | 'warnings'> & { gone: ReadonlySet<string> },
): Swept {
  const removed = [...before].filter(([path]) => gone.has(path));
  return {
    forgotten,
    logsRemoved: removed.filter(([path]) => path.endsWith('.log')).length,
    // A log may be sparse.
    freedBytes: removed.reduce((sum, [, { blocks, size }]) => sum + Math.min(size, blocks * 512), 0),
    warnings,
  };
}

function listNames(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

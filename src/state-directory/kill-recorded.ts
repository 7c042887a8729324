import type { KillReceipt, ProcessSignal, Requester, StopOrder } from '../../machines/process/context.ts';
import { pause } from '../clock/pause.ts';
import { parseOptions } from '../config/parse-options.ts';
import { killOptions } from '../config/process-spec.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { type KillOrder, type KillTarget, killProcess } from '../process/kill-process.ts';
import type { KillAnswer, KillOptions } from '../process/process-handle.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import type { FinalView, ProcessView } from '../process/process-view.ts';
import { addEntry, type TimelineEntry } from '../process/timeline.ts';
import { withoutValues } from '../process/to-record.ts';
import { toCookie } from '../spawn/environment.ts';
import { findLeader, withoutLauncher } from '../spawn/file/find-leader.ts';
import type { LaunchStatus } from '../spawn/file/status-file.ts';
import { endTree } from '../spawn/tree/end-tree.ts';
import { isSameScope, type ProcessIdentity } from '../spawn/tree/identity.ts';
import type { ProcessTable, TableScope } from '../spawn/tree/process-table.ts';
import { createProcessTree, type ProcessTree } from '../spawn/tree/process-tree.ts';
import { createEnvironmentStore } from '../store/environment-store.ts';
import { lockDirectory } from '../supervisor/lock-directory.ts';
import type { DirectoryDeps } from './directory-deps.ts';
import { readLaunch, toEndedView } from './resolve-status.ts';

const DEFAULT_GRACE_MS = 5_000;

/** Time for a live launcher to record the exit it waited for. */
const EXIT_WRITTEN_MS = 500;
const LOOK_MS = 10;

/**
 * Kills a process whose supervisor is gone, by its proven identity, and records its end. Signals nothing whose
 * identity is not proven. Returns `null` where it has a supervisor again, which then must be asked.
 *
 * @throws TroupeError `invalid-option`; `unreachable` for a process in a scope this program cannot inspect.
 */
export async function killRecorded(
  deps: DirectoryDeps,
  { id, options }: { id: string; options: KillOptions },
): Promise<KillAnswer | null> {
  const { signal, grace, by } = parseOptions(killOptions, { input: options, name: 'kill' });
  const order = { signal: signal as ProcessSignal, graceMs: grace };
  const claimed = claim(deps, { id, by, ...order });
  if (claimed === null) return null;
  const resolved = await deps.resolveStatus(claimed);
  if (resolved.type === 'elsewhere') throw elsewhere(claimed);
  return killProcess(await createTarget(deps, { record: claimed, view: resolved.view, by }), order);
}

/** Records the stop order; a supervisor that adopts the process from now on continues it. */
function claim(
  deps: DirectoryDeps,
  kill: { id: string; by: Requester; signal: ProcessSignal; graceMs: number | undefined },
): ProcessRecord | null {
  const { id, by, signal, graceMs = DEFAULT_GRACE_MS } = kill;
  const stop: Omit<StopOrder, 'orderedAtMs'> = {
    cause: { type: 'kill', by },
    signal,
    graceMs,
    escalated: false,
  };
  return change(deps, {
    id,
    to: (record) =>
      'endedAt' in record.view
        ? record
        : {
            ...withEntry(record, { type: 'process.signalled', at: deps.clock.epochMs(), by, detail: signal }),
            revival: record.revival === null ? null : { ...record.revival, stop },
          },
  });
}

/** Changes a record whose supervisor is dead; leaves all others alone. */
function change(
  { store, registry, paths }: DirectoryDeps,
  { id, to }: { id: string; to: (record: ProcessRecord) => ProcessRecord },
): ProcessRecord | null {
  const release = lockDirectory(paths);
  try {
    const record = store.read(id);
    if (record === null || registry.stateOf(record.supervisorId) !== 'dead') return null;
    const changed = to(record);
    if (changed !== record) store.save(id, withoutValues(changed));
    return changed;
  } finally {
    release();
  }
}

function withEntry(record: ProcessRecord, entry: TimelineEntry): ProcessRecord {
  const timeline = [...record.timeline];
  addEntry(timeline, entry);
  return { ...record, timeline };
}

async function createTarget(
  deps: DirectoryDeps,
  { record, view, by }: { record: ProcessRecord; view: ProcessView; by: Requester },
): Promise<KillTarget> {
  const { clock } = deps;
  const tree = await openTree(deps, record);
  let current = view;
  let stopping: Promise<KillReceipt | null> = Promise.resolve(null);

  const stop = async ({ signal, graceMs }: KillOrder): Promise<KillReceipt | null> => {
    if (current.status === 'restarting' || tree === null) {
      current = recordEnd(deps, { record, reason: { type: 'cancelled', by }, exit: null, receipt: null });
      return null;
    }
    const limits = record.revival?.limits;
    const receipt = await endTree(tree, {
      order: { signal, graceMs: graceMs ?? limits?.killGraceMs ?? DEFAULT_GRACE_MS },
      clock,
    }).receipt;
    if (receipt.survivors.length > 0) return receipt;
    const { escalated } = receipt;
    const exit = await readExit(deps, record);
    const reason = { type: 'killed', by, signal, escalated } as const;
    current = recordEnd(deps, { record, reason, exit, receipt });
    return receipt;
  };

  return {
    id: record.view.id,
    life: toLife(view),
    clock,
    view: () => current,
    hasEnded: () => 'endedAt' in current,
    orderStop: (order) => {
      stopping = stop(order);
    },
    settled: () => stopping,
    endLeftovers: async ({ signal, graceMs = DEFAULT_GRACE_MS }) => {
      if (tree === null) return emptyReceipt(signal);
      // The leader has ended, so its pid may be reused.
      tree.leaderExited();
      const receipt = await endTree(tree, { order: { signal, graceMs }, clock }).receipt;
      const { survivors } = receipt;
      change(deps, {
        id: record.view.id,
        to: (saved) => ({ ...saved, view: { ...(saved.view as FinalView), leftovers: survivors } }),
      });
      return receipt;
    },
  };
}

/** Narrows the view to status and leftovers, which are all that is asked for. */
function toLife(view: ProcessView): KillTarget['life'] {
  return view as unknown as KillTarget['life'];
}

/** Records the end, unless a supervisor has adopted the process; then that supervisor records it. */
function recordEnd(
  deps: DirectoryDeps,
  call: { record: ProcessRecord } & Pick<FinalView, 'reason' | 'exit' | 'receipt'>,
): FinalView {
  const { record, ...end } = call;
  const endedAt = deps.clock.epochMs();
  const view = toEndedView(record, { ...end, endedAt });
  change(deps, {
    id: record.view.id,
    to: (saved) => ({
      ...withEntry(saved, { type: 'process.ended', at: endedAt, detail: view.status }),
      savedAt: endedAt,
      view,
      revival: null,
    }),
  });
  createEnvironmentStore(deps.paths).remove(record.view.id);
  return view;
}

async function readExit({ clock }: DirectoryDeps, record: ProcessRecord): Promise<FinalView['exit']> {
  const untilMs = clock.nowMs() + EXIT_WRITTEN_MS;
  while (true) {
    const status = readLaunch(record);
    if (status === null) return null;
    if (status.exit !== null) return { code: status.exit.code, signal: status.exit.signal };
    if (clock.nowMs() > untilMs) return null;
    await pause(clock, { ms: LOOK_MS });
  }
}

/** Returns `null` where no leader can be proven to belong to the process. */
async function openTree(deps: DirectoryDeps, record: ProcessRecord): Promise<ProcessTree | null> {
  const table = await deps.openTable();
  const scope = await table.scope();
  const status = readLaunch(record);
  const identity = record.leader ?? (await findIdentity(record, { table, status, scope }));
  if (identity === null || !isSameScope(identity, scope)) return null;
  const descendants = withoutLauncher(table, status?.launcher ?? null);
  return createProcessTree({ identity, table: descendants, clock: deps.clock });
}

/** Finds the identity that the launcher recorded but a dead supervisor did not. */
async function findIdentity(
  { view }: ProcessRecord,
  { table, status, scope }: { table: ProcessTable; status: LaunchStatus | null; scope: TableScope },
): Promise<ProcessIdentity | null> {
  const entry = status === null ? null : await findLeader(status, { table, id: view.id });
  if (entry === null) return null;
  const { pid, pgid, sid, startedAt } = entry;
  return { pid, pgid, sid, startedAt, ...scope, cookie: toCookie(view.id) };
}

function emptyReceipt(signalled: ProcessSignal): KillReceipt {
  return { signalled, escalated: false, survivors: [], leftoversEnded: [], durationMs: 0 };
}

function elsewhere({ view, supervisorId }: ProcessRecord): TroupeError {
  const message = `Process ${view.id} of supervisor ${supervisorId} is out of reach of this program, perhaps in a container: kill it from there.`;
  return new TroupeError({ code: 'unreachable', message });
}

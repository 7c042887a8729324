import { statSync } from 'node:fs';
import { initialTransition, transition } from 'xstate';
import type { ExitStatus, ProcessInput, ProcessPast, TreeMember } from '../../machines/process/context.ts';
import type { ProcessEvent } from '../../machines/process/events.ts';
import { processMachine } from '../../machines/process/machine.ts';
import { isFinal, toLifeView } from '../../machines/process/view.ts';
import type { Clock } from '../clock/clock.ts';
import { diskFullDegradation } from '../output/full-disk.ts';
import { parseLogMap } from '../output/log-map.ts';
import { toDegradedText } from '../output/output-log.ts';
import type { UntimedEvent } from '../process/process-life.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import { type FinalView, type ProcessView, toFacts } from '../process/process-view.ts';
import {
  createMonotonic,
  inactiveSettings,
  type RecordReader,
  toRestoredProcess,
  toRunSettings,
} from '../process/restored-process.ts';
import { toStateFacts } from '../process/to-process-view.ts';
import { findLauncher, findLeader } from '../spawn/file/find-leader.ts';
import { type LaunchStatus, readLastLineAt, readStatus } from '../spawn/file/status-file.ts';
import { isSameScope, isStillAlive, ownsPid } from '../spawn/tree/identity.ts';
import type { ProcessTable, TableScope } from '../spawn/tree/process-table.ts';
import { readPrivateFile } from '../store/private-files.ts';

/** Status of a process whose supervisor is gone. */
export type ResolvedStatus =
  | { readonly type: 'ended'; readonly view: FinalView }
  /** Runs, or waits for its next start, without a supervisor. */
  | { readonly type: 'orphaned'; readonly view: ProcessView }
  /** Belongs to a scope that this program cannot inspect, such as another container. */
  | { readonly type: 'elsewhere'; readonly view: ProcessView };

/** Time after its record was written during which a start may still be in progress. */
const STARTING_MS = 1_000;

/** Resolves the status by sending the facts of the launcher's file and the process table to the chart. Changes nothing. */
export async function resolveStatus(
  record: ProcessRecord,
  deps: {
    readonly here: TableScope;
    readonly clock: Clock;
    /** Opened only when processes must be looked up. */
    readonly table: () => Promise<ProcessTable>;
  },
): Promise<ResolvedStatus> {
  const { view, revival } = record;
  const { here, clock } = deps;
  const tell = (facts: readonly UntimedEvent[], at = record.savedAt) =>
    replay(record, { facts, at, reader: { clock, scope: here } });
  const lose = (why: string) => tell([{ type: 'process.lost', why }]);
  if ('endedAt' in view) return { type: 'ended', view: await withLiveLeftovers({ ...record, view }, deps) };
  // Its worker has it; a supervisor that adopts it asks there.
  if (view.mode === 'remote' && revival !== null)
    return { type: 'orphaned', view: asOfNow(record, clock.epochMs()) };
  if (!isSameScope(record.scope, here)) {
    return record.scope.bootId !== here.bootId
      ? lose('the machine was restarted since')
      : { type: 'elsewhere', view };
  }
  // Must precede reading the file, which then holds what a process wrote before it ended.
  const isUp = await isAlive(record, await deps.table());
  const status = readLaunch(record);
  if (status?.exit != null && revival !== null) {
    const { code, signal } = status.exit;
    return tell(
      toExitFacts(record, { code, signal }),
      readLastLineAt(revival.files.status) ?? record.savedAt,
    );
  }
  if (view.status === 'restarting' && revival !== null) return { type: 'orphaned', view };
  const nowAt = clock.epochMs();
  const isStarting = revival !== null && status?.leader == null && nowAt - record.savedAt < STARTING_MS;
  if (isUp || isStarting) return { type: 'orphaned', view: asOfNow(record, nowAt) };
  return lose(
    revival === null
      ? `its supervisor ${record.supervisorId} ended without ending it`
      : 'it ended while no supervisor was running, and its launcher ended before it recorded the exit',
  );
}

/** Returns the facts of a process that has exited without leftovers. Facts that the current state does not expect have no effect. */
function toExitFacts({ view }: ProcessRecord, exit: ExitStatus): readonly UntimedEvent[] {
  const pid = 'pid' in view ? view.pid : null;
  return [
    { type: 'process.adopt' },
    { type: 'process.adopted', pid, pgid: pid, startedAtMs: 0 },
    { type: 'process.exited', exit },
    { type: 'output.ended' },
    { type: 'tree.surveyed', leftovers: [] },
    { type: 'tree.gone', ended: [] },
  ];
}

function toInput({ view, revival }: ProcessRecord, past: ProcessPast): ProcessInput {
  const run = revival === null ? inactiveSettings : toRunSettings(revival);
  return { id: view.id, ...run, background: true, seed: 1, past };
}

/** Sends facts to the chart of a recorded process and returns its status. `at`: their time, in milliseconds since the epoch. */
function replay(
  record: ProcessRecord,
  { facts, at, reader }: { facts: readonly UntimedEvent[]; at: number; reader: RecordReader },
): ResolvedStatus {
  const { life, ready } = toRestoredProcess(record, reader);
  if (life.type === 'ended') return { type: 'ended', view: record.view as FinalView };
  const atMs = createMonotonic(record, reader)(at);
  const [queued] = initialTransition(processMachine, toInput(record, life.past));
  const state = facts.reduce(
    (before, fact) => transition(processMachine, before, { ...fact, atMs } as ProcessEvent)[0],
    queued,
  );
  const lifeView = toLifeView(state);
  const times = isFinal(lifeView.status) ? { ...life.times, endedAt: at, endedAtMs: atMs } : life.times;
  const view = {
    ...{ ...toFacts(record.view), output: toOutput(record), progress: null, awaitsInput: null },
    ...toStateFacts({ life: lifeView, times, ready, clock: reader.clock }),
  } as ProcessView;
  return 'endedAt' in view ? { type: 'ended', view } : { type: 'orphaned', view };
}

/**
 * Returns the view of an ended process with the leftovers and suspects that are still alive; pids of another boot or
 * pid namespace are meaningless here.
 */
async function withLiveLeftovers(
  { view, scope }: ProcessRecord & { readonly view: FinalView },
  { here, table }: { readonly here: TableScope; readonly table: () => Promise<ProcessTable> },
): Promise<FinalView> {
  const { leftovers, suspects } = view;
  const left = [...leftovers, ...suspects];
  if (left.length === 0 || !isSameScope(scope, here)) return { ...view, leftovers: [], suspects: [] };
  const entries = await (await table()).readAll(left.map(({ pid }) => pid));
  const isAlive = (member: TreeMember) => entries.some((entry) => entry.alive && ownsPid(member, entry));
  return { ...view, leftovers: leftovers.filter(isAlive), suspects: suspects.filter(isAlive) };
}

/** Tells whether the leader is alive, or the launcher that will record its end. */
async function isAlive(record: ProcessRecord, table: ProcessTable): Promise<boolean> {
  const { leader, view } = record;
  if (leader !== null && isStillAlive(leader, await table.read(leader.pid))) return true;
  const status = readLaunch(record);
  if (status === null) return false;
  const who = { table, id: view.id };
  return (await findLeader(status, who)) !== null || (await findLauncher(status, who)) !== null;
}

/** Reads the record of the launcher; `null` if it is missing or unreadable. */
function readLaunch({ view, revival }: ProcessRecord): LaunchStatus | null {
  if (revival === null) return null;
  try {
    return readStatus(revival.files.status, view.attempt);
  } catch {
    return null;
  }
}

function asOfNow(record: ProcessRecord, nowAt: number): ProcessView {
  const { view } = record;
  if (!('runtimeMs' in view)) return view;
  return { ...view, runtimeMs: Math.max(0, nowAt - (view.startedAt ?? nowAt)), output: toOutput(record) };
}

function toOutput({ view, revival }: ProcessRecord): ProcessView['output'] {
  if (revival === null) return view.output;
  try {
    const { size, mtimeMs } = statSync(revival.files.log);
    const { shift, gaps, fullAt } = parseLogMap(readPrivateFile(revival.files.status));
    const bytes = size + shift;
    const lines = bytes === view.output.bytes ? view.output.lines : null;
    const droppedBytes = gaps.reduce((sum, { from, to }) => sum + to - from, 0);
    return {
      ...view.output,
      bytes,
      lines,
      droppedBytes,
      degraded: fullAt.length > 0 ? toDegradedText(diskFullDegradation) : view.output.degraded,
      lastOutputAt: bytes === 0 ? null : Math.round(mtimeMs),
    };
  } catch {
    return view.output;
  }
}

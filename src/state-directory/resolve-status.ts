import { statSync } from 'node:fs';
import type { EndReason, ExitStatus, FinalStatus, TreeMember } from '../../machines/process/context.ts';
import { hasRestartedTooOften, isRestartWanted } from '../../machines/process/restart.ts';
import { diskFullDegradation } from '../output/full-disk.ts';
import { parseLogMap } from '../output/log-map.ts';
import { toDegradedText } from '../output/output-log.ts';
import type { AdoptionData, ProcessRecord } from '../process/process-record.ts';
import type { FinalView, ProcessView } from '../process/process-view.ts';
import { findLauncher, findLeader } from '../spawn/file/find-leader.ts';
import { type LaunchStatus, readStatus } from '../spawn/file/status-file.ts';
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

/** Resolves the status from the launcher's file and from whether the leader is alive. Changes nothing. */
export async function resolveStatus(
  record: ProcessRecord,
  deps: {
    readonly here: TableScope;
    readonly nowAt: number;
    /** Opened only when processes must be looked up. */
    readonly table: () => Promise<ProcessTable>;
  },
): Promise<ResolvedStatus> {
  const { view, revival } = record;
  const { here, nowAt } = deps;
  if ('endedAt' in view) return { type: 'ended', view: await withLiveLeftovers({ ...record, view }, deps) };
  if (!isSameScope(record.scope, here)) {
    return record.scope.bootId !== here.bootId
      ? lost(record, 'the machine was restarted since')
      : { type: 'elsewhere', view };
  }
  // Must precede reading the file, which then holds what a process wrote before it ended.
  const isUp = await isAlive(record, await deps.table());
  const status = readLaunch(record);
  if (status?.exit != null && revival !== null) {
    return resolveExit(record, { exit: status.exit, revival, nowAt });
  }
  if (view.status === 'restarting' && revival !== null) return { type: 'orphaned', view };
  const isStarting = revival !== null && status?.leader == null && nowAt - record.savedAt < STARTING_MS;
  if (isUp || isStarting) return { type: 'orphaned', view: asOfNow(record, nowAt) };
  const why =
    revival === null
      ? `its supervisor ${record.supervisorId} ended without ending it`
      : 'it ended while no supervisor was running, and its launcher ended before it recorded the exit';
  return lost(record, why);
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
export function readLaunch({ view, revival }: ProcessRecord): LaunchStatus | null {
  if (revival === null) return null;
  try {
    return readStatus(revival.files.status, view.attempt);
  } catch {
    return null;
  }
}

function resolveExit(
  record: ProcessRecord,
  end: { exit: ExitStatus; revival: AdoptionData; nowAt: number },
): ResolvedStatus {
  const { revival, nowAt } = end;
  const exit: ExitStatus = { code: end.exit.code, signal: end.exit.signal };
  const reason = toReason(exit, revival);
  const { view } = record;
  const endedAt = writtenAt(revival.files.status) ?? record.savedAt;
  if (startsAgain(revival, { exit, endedAt })) {
    const restarts = 'restarts' in view ? view.restarts : 0;
    const shown = { ...toFacts(record), status: 'restarting', restarts, reason, nextStartAt: nowAt } as const;
    return { type: 'orphaned', view: shown };
  }
  return { type: 'ended', view: toEndedView(record, { reason, exit, endedAt }) };
}

function startsAgain(
  { restart, stop, restartedAt }: AdoptionData,
  { exit, endedAt }: { exit: ExitStatus; endedAt: number },
): boolean {
  if (stop !== null) return stop.cause.type === 'restart';
  const past = { restart, exit, restartTimesMs: restartedAt };
  return isRestartWanted(past) && !hasRestartedTooOften(past, endedAt);
}

function toReason({ code, signal }: ExitStatus, { stop }: AdoptionData): EndReason {
  if (stop?.cause.type === 'kill') {
    const { by } = stop.cause;
    return { type: 'killed', by, signal: stop.signal, escalated: stop.escalated };
  }
  if (stop?.cause.type === 'limit') {
    return { type: 'timed_out', limit: stop.cause.limit, afterMs: stop.cause.afterMs };
  }
  if (signal !== null) return { type: 'signalled', signal, by: 'outside' };
  return code === null ? { type: 'lost', why: 'its end was not reported' } : { type: 'exited', code };
}

function lost(record: ProcessRecord, why: string): ResolvedStatus {
  const end = { reason: { type: 'lost', why }, exit: null, endedAt: record.savedAt } as const;
  return { type: 'ended', view: toEndedView(record, end) };
}

/** Derives the view of an ended process from its last record. */
export function toEndedView(
  record: ProcessRecord,
  end: {
    readonly reason: EndReason;
    readonly exit: ExitStatus | null;
    readonly endedAt: number;
    readonly receipt?: FinalView['receipt'];
  },
): FinalView {
  const { view } = record;
  const startedAt = 'startedAt' in view ? view.startedAt : null;
  const { reason, exit, endedAt, receipt = null } = end;
  return {
    ...toFacts(record),
    status: toStatus(reason),
    pid: 'pid' in view ? view.pid : null,
    startedAt,
    backgroundedAt: 'backgroundedAt' in view ? view.backgroundedAt : null,
    endedAt,
    runtimeMs: startedAt === null ? 0 : Math.max(0, endedAt - startedAt),
    restarts: 'restarts' in view ? view.restarts : 0,
    exit,
    reason,
    leftovers: [],
    suspects: [],
    receipt,
  };
}

function toStatus(reason: EndReason): FinalStatus {
  switch (reason.type) {
    case 'exited':
      return reason.code === 0 ? 'completed' : 'failed';
    case 'killed':
    case 'cancelled':
      return 'killed';
    case 'timed_out':
      return 'timed_out';
    case 'lost':
      return 'lost';
    default:
      return 'failed';
  }
}

/** Returns the facts that do not depend on the status, with the output as far as the file goes. */
function toFacts(record: ProcessRecord) {
  const { view } = record;
  const { id, kind, command, commandLine, cwd, label, owner, lifetime } = view;
  const { tool, callId, metadata, mode, executionMode, attempt, createdAt, takesInput } = view;
  const facts = { id, kind, command, commandLine, cwd, label, owner, lifetime };
  return {
    ...{ ...facts, tool, callId, metadata, mode, executionMode, attempt, createdAt },
    ...{ output: toOutput(record), terminal: view.terminal, progress: null },
    ...{ takesInput, awaitsInput: null },
  };
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

function writtenAt(path: string): number | null {
  try {
    return Math.round(statSync(path).mtimeMs);
  } catch {
    return null;
  }
}

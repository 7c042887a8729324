import { type ProcessPast, type RunSettings, toProcessEnd } from '../../machines/process/context.ts';
import type { LifeView } from '../../machines/process/view.ts';
import type { Clock } from '../clock/clock.ts';
import type { ReadinessSettings } from '../config/process-spec.ts';
import type { ReaderPositions } from '../output/reader.ts';
import type { ProcessIdentity } from '../spawn/tree/identity.ts';
import { isSameScope } from '../spawn/tree/identity.ts';
import type { TableScope } from '../spawn/tree/process-table.ts';
import type { ProcessTimes, RestoredLife } from './process-life.ts';
import type { AdoptionData, ProcessRecord, RecordedReadiness, RecordedWatch } from './process-record.ts';
import {
  type FinalView,
  type OutputView,
  type ProcessView,
  type ReadyView,
  toPausedAt,
} from './process-view.ts';
import type { TimelineEntry } from './timeline.ts';
import { hasPendingNotice } from './timeline.ts';

/** Clock and process scope of the program that reads a record. */
export interface RecordReader {
  readonly clock: Clock;
  readonly scope: TableScope;
}

/** Restores a process from its record, with its times converted to the clock of this program. */
export function toRestoredProcess(record: ProcessRecord, reader: RecordReader): RestoredProcess {
  const { view, timeline, revival, leader } = record;
  const toMonotonic = createMonotonic(record, reader);
  const shared = {
    owner: view.owner,
    timeline,
    attemptOffset: revival?.attemptOffset ?? 0,
    leader,
    readers: record.readers ?? {},
    watches: revival?.watches ?? [],
    isUnowned: 'endedAt' in view && !hasPendingNotice(record),
  };
  const times = toTimes(view, toMonotonic);
  if ('endedAt' in view) {
    const isHere = isSameScope(leader ?? record.scope, reader.scope);
    return {
      ...shared,
      ready: { state: 'undeclared' },
      life: { type: 'ended', ...toEndedLife(view, { isHere }), times },
      output: view.output,
    };
  }
  return {
    ...shared,
    ready: 'ready' in view ? view.ready : { state: revival?.ready == null ? 'undeclared' : 'waiting' },
    life: { type: 'live', past: toPast(record, { ...reader, toMonotonic }), times },
    output: null,
  };
}

/** Converts milliseconds since the epoch, as in a record, to the time of `nowMs`. */
type ToMonotonic = (at: number) => number;

/** Measures the age of the record by the clock of the machine where it has not rebooted since: the wall clock may have been changed. */
export function createMonotonic(
  { savedAt, savedMachineMs, scope }: ProcessRecord,
  reader: RecordReader,
): ToMonotonic {
  const { clock } = reader;
  const machineMs = clock.machineMs?.();
  const isComparable =
    machineMs !== undefined && savedMachineMs !== undefined && isSameScope(scope, reader.scope);
  const sinceSavedMs = isComparable ? machineMs - savedMachineMs : clock.epochMs() - savedAt;
  const savedMs = clock.nowMs() - sinceSavedMs;
  return (at) => savedMs - (savedAt - at);
}

function toPast(
  { view, revival }: ProcessRecord,
  { clock, toMonotonic }: { readonly clock: Clock; readonly toMonotonic: ToMonotonic },
) {
  return {
    attempt: view.attempt,
    restartTimesMs: (revival?.restartedAt ?? []).map(toMonotonic),
    nextStartAtMs: revival?.nextStartAt == null ? null : toMonotonic(revival.nextStartAt),
    // The stop begins anew: no supervisor was there to continue it.
    stop: revival?.stop == null ? null : { ...revival.stop, orderedAtMs: clock.nowMs() },
    end: null,
  };
}

function toTimes(view: ProcessView, toMonotonic: ToMonotonic): ProcessTimes {
  const startedAt = 'startedAt' in view ? view.startedAt : null;
  const startedAtMs = startedAt === null ? null : toMonotonic(startedAt);
  const isOver = 'endedAt' in view;
  return {
    createdAt: view.createdAt,
    startedAt,
    startedAtMs,
    backgroundedAt: 'backgroundedAt' in view ? view.backgroundedAt : null,
    pausedAt: toPausedAt(view),
    endedAt: isOver ? view.endedAt : null,
    endedAtMs: isOver && startedAtMs !== null ? startedAtMs + view.runtimeMs : null,
  };
}

/**
 * Returns the end of a process, and the past of its chart where leftovers can be watched: those of this boot and pid namespace (`isHere`),
 * left by a process that nothing stopped.
 */
function toEndedLife(
  view: FinalView,
  { isHere }: { readonly isHere: boolean },
): { readonly view: LifeView; readonly past: ProcessPast | null } {
  const { status, attempt, restarts, pid } = view;
  const endStatus = status === 'completed' || status === 'failed' ? status : null;
  const canBeWatched = isHere && endStatus !== null && view.leftovers.length > 0;
  const facts = { ...toProcessEnd(view), ...(!canBeWatched && { leftovers: [] }) };
  return {
    view: { status, attempt, restarts, pid, outputEnded: true, ...facts },
    past: canBeWatched
      ? {
          attempt,
          // Only their number is recorded.
          restartTimesMs: Array.from({ length: restarts }, () => 0),
          nextStartAtMs: null,
          stop: null,
          end: { ...facts, pid, endStatus },
        }
      : null,
  };
}

/** Settings without limits or restarts, for a process that is not started again. */
export const inactiveSettings: RunSettings = {
  background: true,
  onTimeout: 'background',
  limits: {
    ...{
      timeoutMs: 0,
      maxExecutionMs: 0,
      maxBackgroundMs: 0,
      killGraceMs: 0,
      drainQuietMs: 0,
      drainMaxMs: 0,
    },
    ...{ notifyAfterSilenceMs: 0, notifyAfterMs: 0 },
  },
  leftoverPolicy: 'keep',
  restart: {
    ...{ policy: 'temporary', maxRestarts: 0, withinMs: 0, minBackoffMs: 0, maxBackoffMs: 0 },
    healthyAfterMs: 0,
  },
};

/** Returns the settings for the chart of an adopted process. */
export function toRunSettings({
  background,
  onTimeout,
  limits,
  leftoverPolicy,
  restart,
}: AdoptionData): RunSettings {
  return { background, onTimeout, limits, leftoverPolicy, restart };
}

export function toReadinessSettings({ line, ...rest }: RecordedReadiness): ReadinessSettings {
  const pattern = typeof line === 'object' ? new RegExp(line.source, line.flags) : line;
  return { ...rest, ...(pattern !== undefined && { line: pattern }) } as ReadinessSettings;
}

/** State of a process that began under another supervisor, beside its plan. */
export interface RestoredProcess {
  readonly owner: string;
  readonly timeline: readonly TimelineEntry[];
  readonly ready: ReadyView;
  readonly life: RestoredLife;
  readonly attemptOffset: number;
  /** Positions of the named readers. */
  readonly readers: ReaderPositions;
  /** Leader in the last record; `null` where none was known. */
  readonly leader: ProcessIdentity | null;
  readonly watches: readonly RecordedWatch[];
  /** True if the process has ended and needs no owner: it can be viewed, and no supervisor claims it. */
  readonly isUnowned: boolean;
  /** Output of an ended process, counted at its end; `null` while it lives. */
  readonly output: OutputView | null;
}

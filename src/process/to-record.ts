import type { StopOrder } from '../../machines/process/context.ts';
import type { Clock } from '../clock/clock.ts';
import type { ReadinessSettings } from '../config/process-spec.ts';
import type { ProcessIdentity } from '../spawn/tree/identity.ts';
import type { TableScope } from '../spawn/tree/process-table.ts';
import type { AdoptionData, ProcessRecord, RecordedReadiness } from './process-record.ts';
import { type ProcessView, toFacts } from './process-view.ts';
import type { SupervisedProcess } from './supervised-process.ts';

/** Facts of the supervisor in the records that it writes. */
export interface RecordAuthor {
  readonly supervisorId: string;
  readonly scope: TableScope;
  readonly clock: Clock;
}

/** Returns the record of a process at this moment. */
export function toRecord(
  process: SupervisedProcess,
  { author, leader }: { author: RecordAuthor; leader: ProcessIdentity | null },
): ProcessRecord {
  const { supervisorId, scope, clock } = author;
  const readers = process.output.readerPositions;
  return {
    // `version` and `view` come first: `hasEndedRecord` reads the beginning of the text.
    version: 1,
    view: withEndFirst(process.view()),
    supervisorId,
    scope,
    ...toSaved(clock),
    timeline: process.timeline.entries,
    ...(process.plan.output.secrets.length === 0 && { likeness: process.plan.fingerprint }),
    leader,
    ...(Object.keys(readers).length > 0 && { readers }),
    revival: toAdoptionData(process, clock),
  };
}

/** Returns the time of a record. */
export function toSaved(clock: Clock): Pick<ProcessRecord, 'savedAt' | 'savedMachineMs'> {
  const savedMachineMs = clock.machineMs?.();
  return { savedAt: clock.epochMs(), ...(savedMachineMs !== undefined && { savedMachineMs }) };
}

function withEndFirst({ status, ...facts }: ProcessView): ProcessView {
  const left = 'leftovers' in facts && { leftovers: facts.leftovers, suspects: facts.suspects };
  return { status, ...left, ...facts } as ProcessView;
}

/** Returns the record of an attempt that is about to start, as the chart will describe it in a moment. */
export function toAttemptRecord(
  process: SupervisedProcess,
  { author, attempt }: { author: RecordAuthor; attempt: number },
): ProcessRecord {
  const record = toRecord(process, { author, leader: null });
  const { view, revival } = record;
  return {
    ...record,
    view: { ...toFacts(view), attempt, status: 'pending', queued: false },
    revival: revival === null ? null : { ...revival, nextStartAt: null, stop: null },
  };
}

/** Returns `null` for a process that cannot be adopted: only live persistent ones can. */
function toAdoptionData(
  { plan, life, input, output: { attemptOffset }, watches }: SupervisedProcess,
  clock: Clock,
): AdoptionData | null {
  const { launch, files, output } = plan;
  const { progress } = life;
  if (plan.lifetime !== 'persistent' || files === null) return null;
  if (launch.work.type === 'function' || launch.work.type === 'worker' || progress === null) return null;
  const toEpoch = (ms: number) => Math.round(clock.epochMs() + ms - clock.nowMs());
  const { stop } = progress;
  return {
    likeness: plan.fingerprint,
    ...plan.run,
    limits: progress.limits,
    ready: plan.ready === null ? null : toRecordedReadiness(plan.ready),
    maxReplyBytes: output.maxReplyBytes,
    maxLogBytes: output.logFile?.maxBytes ?? 0,
    files,
    size: input.terminal.orderedSize,
    work: launch.work,
    // Input is not recorded: an attempt under a later supervisor must not wait for it.
    stdin: plan.input === null ? launch.stdin : 'end',
    envNames: [...Object.keys(launch.env), ...launch.lostNames],
    hints: launch.hints,
    attemptOffset,
    restartedAt: progress.restartTimesMs.map(toEpoch),
    nextStartAt: progress.nextStartAtMs === null ? null : toEpoch(progress.nextStartAtMs),
    ...(watches.length > 0 && { watches }),
    stop:
      stop === null
        ? null
        : {
            cause: toRecordedCause(stop.cause),
            signal: stop.signal,
            graceMs: stop.graceMs,
            escalated: stop.escalated,
          },
  };
}

/** Records a hold as a restart: its holder ends with this program, and the next supervisor starts the process again. */
function toRecordedCause(cause: StopOrder['cause']): StopOrder['cause'] {
  return cause.type === 'hold' ? { ...cause, type: 'restart' } : cause;
}

/** Returns the record without values of the environment, which older records contained. */
export function withoutValues(record: ProcessRecord): ProcessRecord {
  if (record.revival === null) return record;
  const { env: _, ...revival } = record.revival;
  return { ...record, revival };
}

function toRecordedReadiness({ line, ...rest }: ReadinessSettings): RecordedReadiness {
  return { ...rest, line: line instanceof RegExp ? { source: line.source, flags: line.flags } : line };
}

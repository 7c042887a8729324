import { toErrorText } from '../config/error-text.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import type { DamagedRecord, RecordStore } from '../store/record-store.ts';
import type { ScheduleRecord } from './schedule-record.ts';
import type { ScheduleWriter } from './schedule-writer.ts';
import type { Schedules } from './schedules.ts';

/** How a supervisor takes over. */
export interface ScheduleRecovery {
  /** `undefined` for a process that this supervisor does not know. */
  readonly stateOf: (processId: string) => 'live' | 'ended' | undefined;
  /** Of all supervisors of the state directory. */
  readonly processes: RecordStore<ProcessRecord> | null;
  readonly isOrphan: (record: { readonly supervisorId: string; readonly owner: string }) => boolean;
  /** Keeps others from doing the same at the same time; gives what lets them again. */
  readonly lock: () => () => void;
}

interface Shelf {
  readonly store: RecordStore<ScheduleRecord>;
  readonly schedules: Schedules;
  readonly keeper: ScheduleWriter;
}

/**
 * Goes on with the schedules that nobody keeps any more, once the processes are taken over. One whose process has ended is over, too;
 * one whose process is somebody else's is left to others.
 */
export function recoverSchedules(recovery: ScheduleRecovery, shelf: Shelf): readonly DamagedRecord[] {
  const { store } = shelf;
  const isOrphan = ({ supervisorId, schedule }: ScheduleRecord) =>
    recovery.isOrphan({ supervisorId, owner: schedule.owner });
  const found = store.load();
  const orphans = found.records.filter(isOrphan);
  if (orphans.length === 0) return found.damaged;
  const damaged: DamagedRecord[] = [...found.damaged];
  const unlock = recovery.lock();
  try {
    for (const { schedule } of orphans.toSorted((a, b) => a.schedule.nextAt - b.schedule.nextAt)) {
      try {
        // Again: another supervisor may have been quicker.
        const record = store.read(schedule.id);
        if (record !== null && isOrphan(record)) adopt(record, { recovery, shelf });
      } catch (error) {
        damaged.push({ name: schedule.id, why: `it cannot be taken over: ${toErrorText(error)}` });
      }
    }
  } finally {
    unlock();
  }
  return damaged;
}

function adopt(
  { schedule }: ScheduleRecord,
  { recovery, shelf }: { recovery: ScheduleRecovery; shelf: Shelf },
): void {
  const { id, processId } = schedule;
  const process = processId === null ? 'none' : toState(processId, recovery);
  if (process === 'over') return shelf.store.remove(id);
  if (process === 'elsewhere') return;
  shelf.keeper.save(schedule);
  shelf.schedules.restore(schedule);
}

function toState(processId: string, { stateOf, processes }: ScheduleRecovery): 'here' | 'over' | 'elsewhere' {
  const state = stateOf(processId);
  // Its record may be a moment behind.
  if (state !== undefined) return state === 'live' ? 'here' : 'over';
  const record = processes?.read(processId) ?? null;
  return record === null || 'endedAt' in record.view ? 'over' : 'elsewhere';
}

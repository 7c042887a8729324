import { toErrorText } from '../config/error-text.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import type { DamagedRecord, RecordStore } from '../store/record-store.ts';
import type { ScheduleRecord } from './schedule-record.ts';
import type { ScheduleWriter } from './schedule-writer.ts';
import type { Schedules } from './schedules.ts';

/** Access of a recovery to the processes of the state directory. */
export interface ScheduleRecovery {
  /** Returns `undefined` for a process that this supervisor does not know. */
  readonly stateOf: (processId: string) => 'live' | 'ended' | undefined;
  /** Records of all supervisors of the state directory. */
  readonly processes: RecordStore<ProcessRecord> | null;
  readonly isOrphan: (record: { readonly supervisorId: string; readonly owner: string }) => boolean;
  /** Locks out other supervisors that recover schedules; returns the function that unlocks. */
  readonly lock: () => () => void;
}

interface RecoveryDeps {
  readonly store: RecordStore<ScheduleRecord>;
  readonly schedules: Schedules;
  readonly writer: ScheduleWriter;
}

/**
 * Adopts schedules whose supervisor is dead, once the processes are adopted. A schedule whose process has ended is removed; one whose
 * process belongs to another supervisor is left alone.
 */
export function recoverSchedules(recovery: ScheduleRecovery, deps: RecoveryDeps): readonly DamagedRecord[] {
  const { store } = deps;
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
        // Read again: another supervisor may have been quicker.
        const record = store.read(schedule.id);
        if (record !== null && isOrphan(record)) adopt(record, { recovery, deps });
      } catch (error) {
        damaged.push({ name: schedule.id, why: `it cannot be adopted: ${toErrorText(error)}` });
      }
    }
  } finally {
    unlock();
  }
  return damaged;
}

function adopt(
  { schedule }: ScheduleRecord,
  { recovery, deps }: { recovery: ScheduleRecovery; deps: RecoveryDeps },
): void {
  const { id, processId } = schedule;
  const process = processId === null ? 'none' : toState(processId, recovery);
  if (process === 'over') return deps.store.remove(id);
  if (process === 'elsewhere') return;
  deps.writer.save(schedule);
  deps.schedules.restore(schedule);
}

function toState(processId: string, { stateOf, processes }: ScheduleRecovery): 'here' | 'over' | 'elsewhere' {
  const state = stateOf(processId);
  // First, since its record may lag behind.
  if (state !== undefined) return state === 'live' ? 'here' : 'over';
  const record = processes?.read(processId) ?? null;
  return record === null || 'endedAt' in record.view ? 'over' : 'elsewhere';
}

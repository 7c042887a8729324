import type { Clock } from '../clock/clock.ts';
import { createFileRecordStore } from '../store/file-record-store.ts';
import type { DamagedRecord } from '../store/record-store.ts';
import type { StatePaths } from '../store/state-paths.ts';
import type { DueNews } from './active-schedule.ts';
import { recoverSchedules, type ScheduleRecovery } from './recover-schedules.ts';
import type { ScheduleView } from './schedule.ts';
import { readScheduleRecord } from './schedule-record.ts';
import { createScheduleWriter, noScheduleFiles } from './schedule-writer.ts';
import { createSchedules, type Schedules } from './schedules.ts';

export interface PersistedSchedules extends Schedules {
  /** Resumes the schedules of earlier supervisors; unusable records stay as they are. */
  recover(recovery: ScheduleRecovery): readonly DamagedRecord[];
  /** Saves all schedules again. */
  saveAll(): void;
}

/** Creates the schedules of a supervisor, persisted where there is a state directory. */
export function openSchedules({
  paths,
  supervisorId,
  register,
  reportError,
  ...deps
}: {
  readonly clock: Clock;
  readonly createId: (kind: 'schedule', message: string) => string;
  readonly news: DueNews;
  readonly onCancelled: (schedule: ScheduleView) => void;
  readonly defaultOwner: string;
  /** `null` where nothing is persisted. */
  readonly paths: StatePaths | null;
  readonly supervisorId: string;
  /** Called before anything is written. */
  readonly register: () => void;
  readonly reportError: (error: unknown) => void;
}): PersistedSchedules {
  if (paths === null)
    return {
      ...createSchedules({ ...deps, writer: noScheduleFiles }),
      recover: () => [],
      saveAll: () => {},
    };
  const directory = paths.schedules;
  const store = createFileRecordStore({ directory, parse: readScheduleRecord });
  const writer = createScheduleWriter({ store, directory, supervisorId, register, reportError });
  const schedules = createSchedules({ ...deps, writer });
  return {
    ...schedules,
    recover: (recovery) => recoverSchedules(recovery, { store, schedules, writer }),
    saveAll: () => {
      for (const schedule of schedules.list({})) writer.save(schedule);
    },
  };
}

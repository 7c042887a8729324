import type { Clock } from '../clock/clock.ts';
import { createFileRecordStore } from '../store/file-record-store.ts';
import type { DamagedRecord } from '../store/record-store.ts';
import type { StatePaths } from '../store/state-paths.ts';
import { recoverSchedules, type ScheduleRecovery } from './recover-schedules.ts';
import type { ScheduleView } from './schedule.ts';
import { readScheduleRecord } from './schedule-record.ts';
import { createScheduleWriter, noScheduleFiles } from './schedule-writer.ts';
import { createSchedules, type DueNews, type Schedules } from './schedules.ts';

export interface ScheduleBook extends Schedules {
  /** Goes on with what earlier supervisors have left; those that cannot be used stay as they are. */
  recover(recovery: ScheduleRecovery): readonly DamagedRecord[];
  /** Writes all of them down again. */
  saveAll(): void;
}

/** The schedules of a supervisor, and their files where there is a state directory. */
export function openSchedules({
  paths,
  supervisorId,
  enter,
  reportError,
  ...wiring
}: {
  readonly clock: Clock;
  readonly news: DueNews;
  readonly onCancelled: (schedule: ScheduleView) => void;
  readonly defaultOwner: string;
  /** `null` where nothing is written down. */
  readonly paths: StatePaths | null;
  readonly supervisorId: string;
  /** Called before anything is written. */
  readonly enter: () => void;
  readonly reportError: (error: unknown) => void;
}): ScheduleBook {
  if (paths === null)
    return {
      ...createSchedules({ ...wiring, keeper: noScheduleFiles }),
      recover: () => [],
      saveAll: () => {},
    };
  const directory = paths.schedules;
  const store = createFileRecordStore({ directory, parse: readScheduleRecord });
  const keeper = createScheduleWriter({ store, directory, supervisorId, enter, reportError });
  const schedules = createSchedules({ ...wiring, keeper });
  return {
    ...schedules,
    recover: (recovery) => recoverSchedules(recovery, { store, schedules, keeper }),
    saveAll: () => {
      for (const schedule of schedules.list({})) keeper.save(schedule);
    },
  };
}

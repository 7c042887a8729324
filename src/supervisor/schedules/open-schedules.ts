import { createFileRecordStore } from '../../store/file-record-store.ts';
import type { DamagedRecord } from '../../store/record-store.ts';
import type { Ground } from '../ground.ts';
import type { NewsStream } from '../news-stream.ts';
import { recoverSchedules, type ScheduleRecovery } from './recover-schedules.ts';
import type { ScheduleView } from './schedule.ts';
import { createScheduleKeeper, noScheduleFiles } from './schedule-keeper.ts';
import { readScheduleRecord } from './schedule-record.ts';
import { createSchedules, type Schedules } from './schedules.ts';

export interface ScheduleBook extends Schedules {
  /** Goes on with what earlier supervisors have left; those that cannot be used stay as they are. */
  recover(recovery: ScheduleRecovery): readonly DamagedRecord[];
  /** Writes all of them down again. */
  saveAll(): void;
}

/** The schedules of a supervisor, and their files where there is a state directory. */
export function openSchedules({
  ground,
  news,
  onCancelled,
  reportError,
}: {
  readonly ground: Ground;
  readonly news: NewsStream;
  readonly onCancelled: (schedule: ScheduleView) => void;
  readonly reportError: (error: unknown) => void;
}): ScheduleBook {
  const { clock, settings, paths, supervisorId, enter } = ground;
  const wiring = { clock, news, onCancelled, defaultOwner: settings.owner };
  if (paths === null)
    return {
      ...createSchedules({ ...wiring, keeper: noScheduleFiles }),
      recover: () => [],
      saveAll: () => {},
    };
  const directory = paths.schedules;
  const store = createFileRecordStore({ directory, parse: readScheduleRecord });
  const keeper = createScheduleKeeper({ store, directory, supervisorId, enter, reportError });
  const schedules = createSchedules({ ...wiring, keeper });
  return {
    ...schedules,
    recover: (recovery) => recoverSchedules(recovery, { store, schedules, keeper }),
    saveAll: () => {
      for (const schedule of schedules.list({})) keeper.save(schedule);
    },
  };
}

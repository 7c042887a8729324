import type { RecordStore } from '../store/record-store.ts';
import type { ScheduleView } from './schedule.ts';
import type { ScheduleRecord } from './schedule-record.ts';

/** Persists schedules. Records that another supervisor has adopted are not touched. */
export interface ScheduleWriter {
  /** Directory of the records; `null` where nothing is persisted. */
  readonly directory: string | null;
  /** @throws the error of the system when the record could not be written. */
  save(schedule: ScheduleView): void;
  /** Saves a changed schedule. A failure is reported, and the schedule continues. */
  update(schedule: ScheduleView): void;
  remove(id: string): void;
}

export const noScheduleFiles: ScheduleWriter = {
  directory: null,
  save: () => {},
  update: () => {},
  remove: () => {},
};

export function createScheduleWriter({
  store,
  directory,
  supervisorId,
  register,
  reportError,
}: {
  readonly store: RecordStore<ScheduleRecord>;
  readonly directory: string;
  readonly supervisorId: string;
  /** Called before anything is written: others must see that the writer is alive. */
  readonly register: () => void;
  readonly reportError: (error: unknown) => void;
}): ScheduleWriter {
  const save = (schedule: ScheduleView) => {
    register();
    store.save(schedule.id, { version: 1, supervisorId, schedule });
  };
  const isOurs = (id: string) => store.read(id)?.supervisorId === supervisorId;
  const reporting = (write: () => void) => {
    try {
      write();
    } catch (error) {
      reportError(error);
    }
  };
  return {
    directory,
    save,
    update: (schedule) =>
      reporting(() => {
        if (isOurs(schedule.id)) save(schedule);
      }),
    remove: (id) =>
      reporting(() => {
        if (isOurs(id)) store.remove(id);
      }),
  };
}

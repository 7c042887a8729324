import type { RecordStore } from '../store/record-store.ts';
import type { ScheduleView } from './schedule.ts';
import type { ScheduleRecord } from './schedule-record.ts';

/** Keeps what is written down of schedules; what another supervisor has taken over is not touched. */
export interface ScheduleWriter {
  /** Where that is; `null` where nothing is written down. */
  readonly directory: string | null;
  /** @throws what the system says when it could not be written. */
  save(schedule: ScheduleView): void;
  /** A failure is reported, and the schedule goes on. */
  note(schedule: ScheduleView): void;
  remove(id: string): void;
}

export const noScheduleFiles: ScheduleWriter = {
  directory: null,
  save: () => {},
  note: () => {},
  remove: () => {},
};

export function createScheduleWriter({
  store,
  directory,
  supervisorId,
  enter,
  reportError,
}: {
  readonly store: RecordStore<ScheduleRecord>;
  readonly directory: string;
  readonly supervisorId: string;
  /** Called before anything is written: that the one who writes is alive is to be known before. */
  readonly enter: () => void;
  readonly reportError: (error: unknown) => void;
}): ScheduleWriter {
  const save = (schedule: ScheduleView) => {
    enter();
    store.save(schedule.id, { version: 1, supervisorId, schedule });
  };
  const isOurs = (id: string) => store.read(id)?.supervisorId === supervisorId;
  const reporting = (deed: () => void) => {
    try {
      deed();
    } catch (error) {
      reportError(error);
    }
  };
  return {
    directory,
    save,
    note: (schedule) =>
      reporting(() => {
        if (isOurs(schedule.id)) save(schedule);
      }),
    remove: (id) =>
      reporting(() => {
        if (isOurs(id)) store.remove(id);
      }),
  };
}

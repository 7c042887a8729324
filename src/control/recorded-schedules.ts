import { createFileRecordStore } from '../store/file-record-store.ts';
import { isRecordId } from '../store/record-id.ts';
import type { RecordStore } from '../store/record-store.ts';
import { lockDirectory } from '../supervisor/lock-directory.ts';
import { readScheduleRecord, type ScheduleRecord } from '../supervisor/schedules/schedule-record.ts';
import type { DirectoryGround } from './directory-ground.ts';
import type { SeenSchedule } from './state-directory.ts';

type Filter = { readonly owner?: string; readonly process?: string };

/** What is written down of schedules that nobody keeps now: the next supervisor of their owner goes on with them. */
export function listRecordedSchedules(
  ground: DirectoryGround,
  { owner, process }: Filter,
): readonly SeenSchedule[] {
  return openStore(ground)
    .load()
    .records.filter(({ supervisorId }) => ground.roll.stateOf(supervisorId) === 'dead')
    .map(({ schedule, supervisorId }) => ({ ...schedule, supervisorId, answered: false }))
    .filter((schedule) => owner === undefined || schedule.owner === owner)
    .filter((schedule) => process === undefined || schedule.processId === process);
}

/** `false` where there is none of that id, or somebody keeps it. */
export function removeRecordedSchedule(ground: DirectoryGround, id: string): boolean {
  if (!isRecordId(id)) return false;
  const store = openStore(ground);
  const isNobodys = () => {
    const record = store.read(id);
    return record !== null && ground.roll.stateOf(record.supervisorId) === 'dead';
  };
  if (!isNobodys()) return false;
  const release = lockDirectory(ground.paths);
  try {
    // Again: a supervisor may have taken it over meanwhile.
    const isRemoved = isNobodys();
    if (isRemoved) store.remove(id);
    return isRemoved;
  } finally {
    release();
  }
}

function openStore({ paths, clock }: DirectoryGround): RecordStore<ScheduleRecord> {
  return createFileRecordStore({ directory: paths.schedules, parse: readScheduleRecord, clock });
}

import { TroupeError } from '../config/troupe-error.ts';
import { readScheduleRecord, type ScheduleRecord } from '../schedules/schedule-record.ts';
import { createFileRecordStore } from '../store/file-record-store.ts';
import { isRecordId } from '../store/record-id.ts';
import type { RecordStore } from '../store/record-store.ts';
import { lockDirectory } from '../supervisor/lock-directory.ts';
import type { DirectoryDeps } from './directory-deps.ts';
import { toDamagedWarning } from './list-directory.ts';
import type { SeenSchedule } from './state-directory.ts';

type Filter = { readonly owner?: string; readonly process?: string };

/** Lists recorded schedules. The next supervisor of their owner continues those of a dead one. */
export function listRecordedSchedules(
  deps: DirectoryDeps,
  { owner, process }: Filter,
): { readonly schedules: readonly SeenSchedule[]; readonly damaged: readonly string[] } {
  const { records, damaged } = openStore(deps).load();
  return {
    schedules: records
      .map(({ schedule, supervisorId }) => {
        const keeper = deps.registry.stateOf(supervisorId);
        return { ...schedule, supervisorId, answered: false, keeper };
      })
      .filter((schedule) => owner === undefined || schedule.owner === owner)
      .filter((schedule) => process === undefined || schedule.processId === process),
    damaged: damaged.map(toDamagedWarning),
  };
}

/**
 * Removes a recorded schedule; returns `false` where the id is unknown.
 *
 * @throws TroupeError `unreachable` where a supervisor that could not be asked runs it.
 */
export function removeRecordedSchedule(deps: DirectoryDeps, id: string): boolean {
  if (!isRecordId(id)) return false;
  const store = openStore(deps);
  const found = store.read(id);
  if (found === null) return false;
  refuseKept(deps, found);
  const release = lockDirectory(deps.paths);
  try {
    // Read again: a supervisor may have adopted it meanwhile.
    const record = store.read(id);
    if (record === null) return false;
    refuseKept(deps, record);
    store.remove(id);
    return true;
  } finally {
    release();
  }
}

function refuseKept({ registry }: DirectoryDeps, { supervisorId, schedule }: ScheduleRecord): void {
  const state = registry.stateOf(supervisorId);
  if (state === 'dead') return;
  const why = {
    alive:
      'cannot be asked: its program is busy or halted, or listens on no control socket. Resume it, and try again',
    elsewhere: 'is out of reach of this program, perhaps in a container: go there',
  }[state];
  const message = `Schedule ${schedule.id} was not cancelled: its supervisor ${supervisorId} ${why}.`;
  throw new TroupeError({ code: 'unreachable', message });
}

function openStore({ paths, clock }: DirectoryDeps): RecordStore<ScheduleRecord> {
  return createFileRecordStore({ directory: paths.schedules, parse: readScheduleRecord, clock });
}

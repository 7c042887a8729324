import { expect, test } from 'vitest';
import type { ProcessView } from '../../src/process/process-view.ts';
import { recoverSchedules, type ScheduleRecovery } from '../../src/schedules/recover-schedules.ts';
import type { ScheduleView } from '../../src/schedules/schedule.ts';
import { readScheduleRecord, type ScheduleRecord } from '../../src/schedules/schedule-record.ts';
import { createScheduleWriter, noScheduleFiles } from '../../src/schedules/schedule-writer.ts';
import type { RecordStore } from '../../src/store/record-store.ts';

const schedule: ScheduleView = {
  ...{ id: 'sch_a', owner: 'conv_1', message: 'Look.', everyMs: 1_000, nextAt: 5 },
  ...{ processId: null, createdAt: 0, told: 0 },
};
const record: ScheduleRecord = { version: 1, supervisorId: 'sup_1', schedule };
const limit = 8.64e15;

test.each([
  {},
  { everyMs: null },
  { processId: 'tool_a' },
  { nextAt: limit },
  { nextAt: -limit },
  { createdAt: limit },
  { told: Number.MAX_SAFE_INTEGER },
  { everyMs: 10 * 365 * 86_400_000 },
])('a schedule with %j is read', (own) => {
  const value = { ...record, schedule: { ...schedule, ...own } };

  expect(readScheduleRecord(value, 'sch_a')).toEqual({ ok: true, record: value });
});

const refused: readonly (readonly [unknown, string])[] = [
  [null, 'it is not an object'],
  ['x', 'it is not an object'],
  [{ ...record, version: 2 }, 'its version is 2; this troupe reads version 1'],
  [{ ...record, version: undefined }, 'its version is not there; this troupe reads version 1'],
  [{ ...record, supervisorId: 'a/b' }, '"supervisorId" is not valid in a schedule'],
  [{ ...record, supervisorId: '' }, '"supervisorId" is not valid in a schedule'],
  [{ ...record, supervisorId: 'x'.repeat(65) }, '"supervisorId" is not valid in a schedule'],
  [{ ...record, schedule: null }, '"schedule" is not valid in a schedule'],
  [{ ...record, schedule: { ...schedule, id: 'sch_b' } }, 'it is the record of another schedule'],
  ...Object.entries({
    id: 7,
    owner: null,
    message: 7,
    everyMs: 999,
    nextAt: limit + 2,
    processId: 7,
    createdAt: -limit - 2,
    told: -1,
  }).map(
    ([name, value]) =>
      [
        { ...record, schedule: { ...schedule, [name]: value } },
        `"schedule.${name}" is not valid in a schedule`,
      ] as const,
  ),
];

test.each(refused)('the record %j is refused: %s', (value, why) => {
  expect(readScheduleRecord(value, 'sch_a')).toEqual({ ok: false, why });
});

/** A store in memory that notes what changes in it. */
function createStore(records: Readonly<Record<string, ScheduleRecord>> = {}) {
  const kept = new Map(Object.entries(records));
  const calls: string[] = [];
  const store = {
    load: () => ({ records: [...kept.values()], damaged: [{ name: 'odd', why: 'it is odd' }] }),
    read: (id: string) => kept.get(id) ?? null,
    save: (id: string, each: ScheduleRecord) => {
      calls.push(`save ${id} for ${each.supervisorId}`);
      kept.set(id, each);
    },
    remove: (id: string) => {
      calls.push(`remove ${id}`);
      kept.delete(id);
    },
  } as unknown as RecordStore<ScheduleRecord>;
  return { store, calls, kept };
}

function createWriter(records: Readonly<Record<string, ScheduleRecord>> = {}) {
  const { store, calls, kept } = createStore(records);
  const errors: unknown[] = [];
  const writer = createScheduleWriter({
    store,
    directory: '/schedules',
    supervisorId: 'sup_1',
    register: () => void calls.push('register'),
    reportError: (error) => void errors.push(error),
  });
  return { writer, store, calls, kept, errors };
}

test('a writer registers its supervisor before it saves', () => {
  const { writer, calls, kept } = createWriter();

  writer.save(schedule);

  expect(writer.directory).toBe('/schedules');
  expect(calls).toEqual(['register', 'save sch_a for sup_1']);
  expect(kept.get('sch_a')).toEqual(record);
});

test('a writer leaves records of another supervisor, and those that are gone', () => {
  const { writer, calls } = createWriter({ sch_a: { ...record, supervisorId: 'sup_2' } });

  writer.update(schedule);
  writer.update({ ...schedule, id: 'sch_b' });
  writer.remove('sch_a');
  writer.remove('sch_b');

  expect(calls).toEqual([]);
});

test('a writer changes and removes its own records', () => {
  const { writer, calls, kept } = createWriter({ sch_a: record });

  writer.update({ ...schedule, told: 3 });
  const told = kept.get('sch_a')?.schedule.told;
  writer.remove('sch_a');

  expect([told, calls]).toEqual([3, ['register', 'save sch_a for sup_1', 'remove sch_a']]);
});

test('a failure to save is thrown, one to update or remove is reported', () => {
  const { writer, store, errors } = createWriter({ sch_a: record });
  const fail = () => {
    throw new Error('no room');
  };
  Object.assign(store, { save: fail, remove: fail });

  expect(() => writer.save(schedule)).toThrow('no room');
  writer.update(schedule);
  writer.remove('sch_a');

  expect(errors.map(String)).toEqual(['Error: no room', 'Error: no room']);
});

test('without a state directory nothing is written', () => {
  expect(noScheduleFiles.directory).toBeNull();
  expect([
    noScheduleFiles.save(schedule),
    noScheduleFiles.update(schedule),
    noScheduleFiles.remove('a'),
  ]).toEqual([undefined, undefined, undefined]);
});

/** Recovers the schedules of `sup_old`. */
function recover(
  records: Readonly<Record<string, ScheduleRecord>>,
  own: Partial<ScheduleRecovery> = {},
  restore?: (schedule: ScheduleView) => void,
) {
  const { writer, store, calls, kept } = createWriter(records);
  const restored: string[] = [];
  const schedules = { restore: restore ?? (({ id }: ScheduleView) => void restored.push(id)) };
  const recovery: ScheduleRecovery = {
    stateOf: () => undefined,
    processes: null,
    isOrphan: ({ supervisorId }) => supervisorId === 'sup_old',
    lock: () => {
      calls.push('lock');
      return () => void calls.push('unlock');
    },
    ...own,
  };
  const damaged = recoverSchedules(recovery, { store, schedules: schedules as never, writer });
  return { damaged, calls, restored, kept };
}

const old = (id: string, own: Partial<ScheduleView> = {}): ScheduleRecord => ({
  ...record,
  supervisorId: 'sup_old',
  schedule: { ...schedule, id, ...own },
});
const odd = { name: 'odd', why: 'it is odd' };

test('schedules without a supervisor are adopted under a lock, the next one first', () => {
  const { damaged, calls, restored } = recover({
    late: old('late', { nextAt: 9 }),
    soon: old('soon', { nextAt: 1 }),
    other: { ...record, schedule: { ...schedule, id: 'other' } },
  });

  expect(restored).toEqual(['soon', 'late']);
  expect(calls).toEqual([
    'lock',
    'register',
    'save soon for sup_1',
    'register',
    'save late for sup_1',
    'unlock',
  ]);
  expect(damaged).toEqual([odd]);
});

test('without such schedules nothing is locked', () => {
  const { damaged, calls } = recover({ sch_a: record });

  expect([damaged, calls]).toEqual([[odd], []]);
});

test('a schedule that another supervisor has adopted meanwhile is left alone', () => {
  let looks = 0;
  const isOrphan = () => {
    looks += 1;
    // Both are found, and one of them is still there when the record is read again.
    return looks <= 3;
  };

  expect(recover({ a: old('a'), b: old('b') }, { isOrphan }).restored).toEqual(['a']);
});

test('a schedule that cannot be adopted is reported, and the others are', () => {
  const adopted: string[] = [];
  const { damaged, calls } = recover({ a: old('a'), b: old('b') }, {}, ({ id }) => {
    if (id === 'a') throw new Error('out of luck');
    adopted.push(id);
  });

  expect(damaged).toEqual([odd, { name: 'a', why: 'it cannot be adopted: out of luck' }]);
  expect(adopted).toEqual(['b']);
  expect(calls.at(-1)).toBe('unlock');
});

const processes = (view: Partial<ProcessView> | null) =>
  ({ read: () => (view === null ? null : { view }) }) as unknown as ScheduleRecovery['processes'];

test.each([
  ['live', null, ['restored', 'kept']],
  ['ended', null, ['removed']],
  [undefined, null, ['removed']],
  [undefined, { endedAt: 5 }, ['removed']],
  [undefined, {}, ['kept']],
] as const)('the schedule of a process that is %s here, recorded as %j, is %j', (state, view, fate) => {
  const { restored, kept, calls } = recover(
    { a: old('a', { processId: 'tool_a' }) },
    { stateOf: () => state, processes: processes(view as never) },
  );
  const seen = [
    ...(restored.length > 0 ? ['restored'] : []),
    ...(kept.has('a') ? ['kept'] : []),
    ...(calls.includes('remove a') ? ['removed'] : []),
  ];

  expect(seen).toEqual(fate);
});

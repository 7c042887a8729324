import { expect, test } from 'vitest';
import { addSchedule, cancelSchedules, listSchedules } from '../../../src/cli/verbs/schedule.ts';
import { fakeIo } from '../fake-io.ts';
import { fakeStateDirectory, toSchedule } from '../fake-state-directory.ts';
import { processView } from '../process-views.ts';

function scene(more: Parameters<typeof fakeStateDirectory>[1] = {}) {
  const fake = fakeIo();
  const state = fakeStateDirectory([{ view: processView({ id: 'tool_a', label: 'build' }) }], {
    schedules: [toSchedule('Look.', 'assistant_1')],
    ...more,
  });
  return { ...fake, ...state };
}

test('a schedule of a process is for its owner', async () => {
  const { io, open, orders, stdout } = scene();
  const flags = { every: '60s', process: 'build' };

  const code = await addSchedule({ words: ['See', 'how it goes.'], flags, io, open });

  expect(code).toBe(0);
  expect(orders[0]).toEqual({
    schedule: { every: 60_000, message: 'See how it goes.', process: 'tool_a', owner: 'assistant_1' },
  });
  expect(stdout()).toMatch(/^schedule_1: assistant_1 is reminded every 1m 00s, next at \d\d:\d\d:\d\d\.\n$/);
});

test.each([{}, { every: '1s', after: '1s' }])('%j is refused without exactly one time', (flags) => {
  const { io, open } = scene();

  expect(() => addSchedule({ words: ['Look.'], flags, io, open })).toThrow('--every 60s or --after 10m');
});

test('schedules are listed', async () => {
  const { io, open, stdout } = scene();

  await listSchedules({ flags: {}, io, open });

  expect(stdout()).toMatch(/schedule_1 +\d\d:\d\d:\d\d +1m 00s +assistant_1 +– +Look\./);
});

test('an unknown schedule cannot be cancelled', async () => {
  const { io, open, stdout, stderr } = scene();

  const code = await cancelSchedules({ ids: ['schedule_1', 'schedule_2'], flags: {}, io, open });

  expect(code).toBe(1);
  expect(stdout()).toBe('schedule_1 is cancelled.\n');
  expect(stderr()).toContain('Did you mean schedule_1?');
});

const unsure = { ...toSchedule('Look.', 'assistant_1'), answered: false };

test('schedules of a silent supervisor are listed with a warning', async () => {
  const { io, open, stdout, stderr } = scene({ schedules: [unsure], warnings: ['It does not answer.'] });

  await listSchedules({ flags: {}, io, open });

  expect(stdout()).toContain('└ its supervisor does not answer: as last recorded');
  expect(stderr()).toContain('It does not answer.');
});

test('schedules of a silent supervisor are not cancelled, others are', async () => {
  const other = { ...toSchedule('Look.', 'assistant_1'), id: 'schedule_2' };
  const { io, open, stdout, stderr } = scene({ schedules: [unsure, other] });

  const code = await cancelSchedules({ ids: ['schedule_1', 'schedule_2'], flags: {}, io, open });

  expect(code).toBe(1);
  expect(stdout()).toBe('schedule_2 is cancelled.\n');
  expect(stderr()).toBe('troupe: Schedule schedule_1 was not taken back.\n');
});

test('a schedule without a listener is reported as such', async () => {
  const { io, open, stdout, stderr } = scene({ isHeard: false });

  const code = await addSchedule({ words: ['Look.'], flags: { after: '1m' }, io, open });

  expect(code).toBe(0);
  expect(stdout()).toContain('schedule_1: ');
  expect(stderr()).toContain('no agent listens as "assistant_1" at supervisor sup_1 now');
});

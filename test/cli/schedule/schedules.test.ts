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

const noZone = (text: string) => text.replaceAll(/\d\d:\d\d:\d\d/g, '<time>');

test.each([{}, { every: '1s', after: '1s' }])('%j is refused with both ways', (flags) => {
  expect(() => addSchedule({ words: ['Look.'], flags, io: scene().io })).toThrow(
    expect.objectContaining({
      code: 'invalid-option',
      message: 'give either --every or --after, such as --every 60s or --after 10m.',
    }),
  );
});

test.each([
  [{ every: '60s' }, 'schedule_1: assistant_1 is reminded every 1m 00s, next at <time>.\n'],
  [{ every: '60s', quiet: true }, 'schedule_1\n'],
  [{ after: '1m', owner: 'b' }, 'schedule_1: b is reminded every 1m 00s, next at <time>.\n'],
])('schedule add with %j prints its id', async (flags, printed) => {
  const { io, open, stdout, stderr } = scene();

  expect(await addSchedule({ words: ['Look.'], flags, io, open })).toBe(0);
  expect([noZone(stdout()), stderr()]).toEqual([printed, '']);
});

test('schedule add passes owner and supervisor on, and answers as JSON', async () => {
  const { io, open, orders, stdout } = scene();
  const flags = { after: '2s', owner: 'b', supervisor: 'sup_2', process: 'build', json: true };

  await addSchedule({ words: ['Look.'], flags, io, open });

  expect(orders[0]).toEqual({
    schedule: { after: 2_000, message: 'Look.', process: 'tool_a', owner: 'b', supervisorId: 'sup_2' },
  });
  expect(JSON.parse(stdout())).toEqual({ ...toSchedule('Look.', 'b'), isHeard: true });
});

test('schedule add for an unknown process adds nothing', async () => {
  const { io, open, orders, stderr } = scene();

  expect(await addSchedule({ words: ['Look.'], flags: { after: '2s', process: 'x y' }, io, open })).toBe(1);
  expect(orders).toEqual(['close']);
  expect(stderr()).toBe('troupe: Process "x y" not found. troupe ps -a lists them.\n');
});

test('a schedule that no agent hears says how to reach one', async () => {
  const { io, open, stderr } = scene({ isHeard: false });

  await addSchedule({ words: ['Look.'], flags: { after: '1m' }, io, open });

  expect(stderr()).toBe(
    'troupe: no agent listens as "assistant_1" at supervisor sup_1 now; the message waits there until one does. To remind another agent, name it with --owner, or one of its processes with --process.\n',
  );
});

const once = { ...toSchedule('a\nb', 'x'), id: 'schedule_2', everyMs: null, processId: 'tool_a' };

test.each([
  [
    {},
    [
      '  ID          NEXT    EVERY   OWNER  PROCESS  MESSAGE',
      '  schedule_1  <time>  1m 00s  y      –        Look.',
      '    └ its supervisor does not answer: as last recorded',
      '  schedule_2  <time>  once    x      tool_a   a ⏎ b',
      '    └ its supervisor has ended: the next supervisor of its owner adopts it',
      '',
    ],
  ],
  [{ quiet: true }, ['schedule_1', 'schedule_2', '']],
])('schedule list with %j prints schedules and what is doubtful', async (flags, lines) => {
  const { io, open, stdout } = scene({
    schedules: [
      { ...toSchedule('Look.', 'y'), answered: false },
      { ...once, answered: false, keeper: 'dead' },
    ],
  });

  expect(await listSchedules({ flags, io, open })).toBe(0);
  const shown = stdout()
    .split('\n')
    .map((line) => line.replace(/\d\d:\d\d:\d\d/, '<time>'));
  expect(shown).toEqual(lines.map((line) => line.replace('NEXT    EVERY', 'NEXT      EVERY')));
});

test.each([
  [{}, 'No schedules\n'],
  [{ quiet: true }, ''],
  [{ json: true }, '[]\n'],
])('schedule list with %j of none prints %j', async (flags, printed) => {
  const { io, open, stdout } = scene({ schedules: [] });

  await listSchedules({ flags, io, open });

  expect(stdout()).toBe(printed);
});

test('schedule list asks for one owner', async () => {
  const { io, open } = scene();
  const asked: unknown[] = [];
  const schedules = async (filter: unknown) => {
    asked.push(filter);
    return { schedules: [once], warnings: [] };
  };
  const opened = () => Object.assign(open(), { schedules }) as never;

  await listSchedules({ flags: { owner: 'b', json: true }, io, open: opened });
  await listSchedules({ flags: {}, io, open: opened });

  expect(asked).toEqual([{ owner: 'b' }, {}]);
});

test.each([
  ['schedule_2', {}, 'troupe: there is no schedule "schedule_2". Did you mean schedule_1?\n'],
  ['something', {}, 'troupe: there is no schedule "something". There are: schedule_1.\n'],
  ['something', { schedules: [] }, 'troupe: there is no schedule "something". There are none.\n'],
])('the unknown schedule %s is refused', async (id, more, printed) => {
  const { io, open, stderr, stdout } = scene(more);

  expect(await cancelSchedules({ ids: [id], flags: { quiet: true }, io, open })).toBe(1);
  expect([stdout(), stderr()]).toEqual(['', printed]);
});

test('schedule cancel answers as JSON, or not at all', async () => {
  const { io, open, stdout, stderr } = scene();

  const code = await cancelSchedules({ ids: ['schedule_1', 'x'], flags: { json: true }, io, open });
  const quiet = scene();
  await cancelSchedules({ ids: ['schedule_1'], flags: { quiet: true }, io: quiet.io, open: quiet.open });

  expect(code).toBe(1);
  expect(JSON.parse(stdout())).toEqual([
    { id: 'schedule_1', cancelled: true },
    { id: 'x', cancelled: false },
  ]);
  expect([stderr(), quiet.stdout()]).toEqual(['', '']);
});

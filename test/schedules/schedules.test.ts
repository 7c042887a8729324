import { expect, test } from 'vitest';
import { createWatchRig } from '../watches/watch-rig.ts';

test('a single reminder is delivered once', async () => {
  await using rig = createWatchRig();
  const { id } = rig.supervisor.schedule({ message: 'Look at the build.', after: '10m' });

  await rig.pass(599_950);
  expect(rig.news).toEqual([]);
  await rig.pass(50);
  await rig.pass(3_600_000);

  const schedule = { id, message: 'Look at the build.', everyMs: null, told: 1 };
  expect(rig.news).toMatchObject([{ type: 'schedule.due', owner: 'user', missed: 0, schedule }]);
  expect(rig.supervisor.schedules()).toEqual([]);
});

test('a repeated reminder keeps its interval', async () => {
  await using rig = createWatchRig();
  const begunAt = rig.clock.epochMs();
  const { id } = rig.supervisor.schedule({ message: 'Look.', every: '1m', owner: 'a' });

  await rig.pass(185_000);

  expect(rig.news.map(({ at }) => at - begunAt)).toEqual([60_000, 120_000, 180_000]);
  expect(new Set(rig.news.map((news) => news.id)).size).toBe(3);
  expect(rig.supervisor.schedules({ owner: 'a' })).toMatchObject([
    { id, everyMs: 60_000, nextAt: begunAt + 240_000, told: 3 },
  ]);
});

test('a cancelled reminder is not delivered', async () => {
  await using rig = createWatchRig();
  const { id } = rig.supervisor.schedule({ message: 'Look.', every: 1_000 });

  expect(rig.supervisor.unschedule(id)).toBe(true);
  expect(rig.supervisor.unschedule(id)).toBe(false);
  await rig.pass(5_000);

  expect(rig.news).toEqual([]);
});

test('schedules of a process are removed before its end is published', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start();
  const other = rig.start();
  rig.supervisor.schedule({ message: 'of it', every: 1_000, process: id });
  rig.supervisor.schedule({ message: 'of another', every: 1_000, process: other.id });
  rig.supervisor.schedule({ message: 'of none', every: 1_000 });
  const left: (readonly string[])[] = [];
  const note = () => left.push(rig.supervisor.schedules().map(({ message }) => message));
  rig.supervisor.events$.subscribe(({ type }) => {
    if (type === 'process.ended') note();
  });
  rig.supervisor.completions$.subscribe(note);
  await rig.pass(1_000);
  expect(rig.news).toHaveLength(3);

  run.exit();
  await rig.pass(1_000);

  expect(left).toEqual([
    ['of another', 'of none'],
    ['of another', 'of none'],
  ]);
  expect(rig.news.slice(3)).toMatchObject([
    { schedule: { message: 'of another' } },
    { schedule: { message: 'of none' } },
  ]);
});

test('a reminder of an ended process is never delivered', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start();
  rig.supervisor.schedule({ message: 'Look.', every: 1_000, process: id, owner: 'absent' });
  await rig.pass(3_000);

  run.exit();
  await rig.pass(1_000);

  const heard: unknown[] = [];
  rig.supervisor.newsOf('absent').subscribe((news) => heard.push(news));
  expect(heard).toEqual([]);
});

test('a program that was held up tells once how often it missed', async () => {
  await using rig = createWatchRig();
  const { clock } = rig;
  let nowMs = 0;
  const jumping = {
    ...clock,
    nowMs: () => clock.nowMs() + nowMs,
    epochMs: () => clock.epochMs() + nowMs,
    at: (atMs: number, callback: () => void) => clock.at(atMs - nowMs, callback),
  };
  await using held = createWatchRig({ clock: jumping });
  held.supervisor.schedule({ message: 'Look.', every: 1_000 });

  nowMs = 3_500;
  clock.advance(1_000);

  expect(held.news).toMatchObject([{ missed: 3 }]);
  clock.advance(500);
  expect(held.news).toMatchObject([{ missed: 3 }, { missed: 0 }]);
});

test('timers follow the clock that never jumps', async () => {
  let jumpMs = 0;
  const { clock } = createWatchRig();
  await using rig = createWatchRig({ clock: { ...clock, epochMs: () => clock.epochMs() + jumpMs } });
  rig.supervisor.schedule({ message: 'Look.', after: 10_000 });

  jumpMs = 86_400_000;
  clock.advance(9_999);
  expect(rig.news).toEqual([]);
  const [schedule] = rig.supervisor.schedules();
  expect((schedule?.nextAt ?? 0) - clock.epochMs() - jumpMs).toBe(1);
  clock.advance(1);

  expect(rig.news).toHaveLength(1);
});

test('there may be a thousand, and not one more', async () => {
  await using rig = createWatchRig();
  const before = rig.clock.pending;
  for (let count = 0; count < 1_000; count += 1) rig.supervisor.schedule({ message: 'Look.', after: '1d' });

  expect(() => rig.supervisor.schedule({ message: 'Look.', after: '1d' })).toThrow(
    /there are 1000 already, which is the maximum\. Cancel one/,
  );
  for (const { id } of rig.supervisor.schedules()) rig.supervisor.unschedule(id);
  expect(rig.clock.pending).toBe(before);
});

test.for([
  [{ message: 'Look.' }, /"after" is undefined; expected either "after" \(once\) or "every"/],
  [{ message: 'Look.', after: 1, every: 1_000 }, /"every" is 1000; expected either/],
  [{ message: 'Look.', every: 999 }, /"every" is 999; expected a duration of at least 1 s/],
  [{ message: 'Look.', after: 1e16 }, /"after" is 1.*; expected a duration of at most 10 years/],
  [{ message: 'Look.', every: '3651d' }, /"every" is "3651d"; expected a duration of at most 10 years/],
  [{ message: ' \n', after: 1 }, /"message" is " \\n"; expected a value that is not empty/],
  [{ message: 'é'.repeat(32_769), after: 1 }, /expected at most 65536 bytes/],
  [{ message: 'Look.', in: 1 }, /there is no option "in"/],
] as const)('a schedule of case %# is refused', async ([options, message]) => {
  await using rig = createWatchRig();

  expect(() => rig.supervisor.schedule(options as never)).toThrow(message);
  expect(rig.supervisor.schedules()).toEqual([]);
});

test('a schedule wants a process that lives', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start();
  run.exit();
  await rig.pass(500);

  for (const process of [id, 'tool_unknown2'])
    expect(() => rig.supervisor.schedule({ message: 'Look.', after: 1, process })).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    );
});

test('after the shutdown nothing can be scheduled', async () => {
  const rig = createWatchRig();
  rig.supervisor.schedule({ message: 'Look.', after: 1_000 });
  await rig[Symbol.asyncDispose]();

  expect(rig.news).toEqual([]);
  expect(() => rig.supervisor.schedule({ message: 'Look.', after: 1 })).toThrow(
    expect.objectContaining({ code: 'shutting-down' }),
  );
});

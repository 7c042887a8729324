import { expect, test } from 'vitest';
import type { ScheduleNews } from '../../src/schedules/schedule.ts';
import type { WatchNews } from '../../src/watches/watch.ts';
import { arrange, dataOf, errorOf, turns } from './arrange.ts';

function listen(given: ReturnType<typeof arrange>) {
  const news: (WatchNews | ScheduleNews)[] = [];
  given.supervisor.news$.subscribe((each) => news.push(each));
  return news;
}

async function pass(given: ReturnType<typeof arrange>, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    given.clock.advance(100);
    await turns(1);
  }
}

test('a watch tells its owner of silence', async () => {
  await using given = arrange();
  const news = listen(given);
  const { id } = given.start('make');

  const answer = await given.call('watch_process', { process_id: id, interval_seconds: 2 });
  given.backend.lastRun.print('building\n');
  await pass(given, 4_000);

  expect(dataOf(answer).message).toContain(`Process ${id} is watched until it ends`);
  expect(dataOf(answer).message).toContain('shown nothing new for 2s');
  expect(news).toMatchObject([{ type: 'watch.quiet', owner: 'agent', quietMs: 2_000, process: { id } }]);
});

test('a watch tells of lines that match', async () => {
  await using given = arrange();
  const news = listen(given);
  const { id } = given.start('make');

  await given.call('watch_process', { process_id: id, pattern: 'error \\d+' });
  given.backend.lastRun.print('fine\nerror 7\n');
  await pass(given, 2_000);

  expect(news).toMatchObject([{ type: 'watch.matched', lines: ['error 7'] }]);
});

test('a second watch replaces the first, and an unwatch ends it', async () => {
  await using given = arrange();
  const { id } = given.start('make');
  const input = { action: 'watch', handle: id, interval_seconds: 3 };

  const first = await given.call('background_process', input);
  const second = await given.call('background_process', { ...input, interval_seconds: 1 });
  const watches = given.supervisor.watches({ owner: 'agent' });
  const unwatch = await given.call('background_process', { action: 'unwatch', handle: id });
  const again = await given.call('unwatch_process', { process_id: id });

  expect(dataOf(first).message).not.toContain('replaced');
  expect(dataOf(second).message).toContain('It replaces the previous watch.');
  expect(watches).toMatchObject([{ processId: id, wants: { quietMs: 1_000 } }]);
  expect(dataOf(unwatch).message).toContain('no longer watched');
  expect(dataOf(again).message).toContain('was not watched');
  expect(given.supervisor.watches()).toEqual([]);
});

test('an impossible watch is refused with an explanation', async () => {
  await using given = arrange();
  const alive = given.start('make');
  const broken = await given.call('watch_process', { process_id: alive.id, pattern: '(' });
  const never = await given.call('watch_process', { process_id: alive.id, interval_seconds: 0 });
  given.backend.lastRun.exit({ code: 3 });
  const over = await given.call('watch_process', { process_id: alive.id });

  expect(errorOf(broken)).toContain('"("');
  expect(errorOf(never)).toContain('"interval_seconds" is 0; expected at least 0.1');
  expect(errorOf(over)).toBe(`Process ${alive.id} exited with code 3: there is nothing left to watch.`);
  expect(over.reveals).toEqual([`${alive.id}/1/ended`]);
});

test.each([
  ['wake', 'You will get a notice; do not poll.'],
  ['next-answer', 'Nothing wakes you: the next answer of any of these tools reports it.'],
  ['none', 'You get no notice: check when you need to know.'],
] as const)('an answer promises the notice that comes: %s', async (notices, promise) => {
  await using given = arrange({ wiring: { notices } });
  const { id } = given.start('make');

  const answers = [
    await given.call('watch_process', { process_id: id }),
    await given.call('background_process', { action: 'watch', handle: id }),
    await given.call('schedule', { message: 'look', after_seconds: 5 }),
  ];

  for (const { message } of answers.map(dataOf)) {
    expect(message).toContain(promise);
    expect(message.replace(promise, '')).not.toMatch(/notice|told/);
  }
});

test('a schedule takes the words of others', async () => {
  await using given = arrange();
  const { id } = given.start('make');
  const input = { action: 'create', task: 'look at the build', process_handle: id, after_seconds: 5 };

  const made = await given.call('schedule', input);

  expect(dataOf(made)).toMatchObject({ reminder: 'look at the build', process_id: id });
});

test('a schedule reminds, is listed and cancelled', async () => {
  await using given = arrange();
  const news = listen(given);
  const once = dataOf(await given.call('schedule', { message: 'look once', after_seconds: 5 }));
  const often = dataOf(await given.call('schedule', { message: 'look often', every_seconds: 2 }));

  const listed = await given.call('schedule', { action: 'list' });
  await pass(given, 5_000);
  const cancelled = await given.call('schedule', { action: 'cancel', schedule_id: often.schedule_id });
  await pass(given, 5_000);

  expect(once).toMatchObject({ reminder: 'look once', message: expect.stringContaining('due in 5s') });
  expect(often.message).toContain('every 2s');
  expect(dataOf(listed).schedules).toHaveLength(2);
  expect(dataOf(cancelled).message).toContain('is cancelled');
  expect(news.map((each) => each.type === 'schedule.due' && each.schedule.message)).toEqual([
    'look often',
    'look often',
    'look once',
  ]);
  expect(dataOf(await given.call('schedule', { action: 'list' })).schedules).toEqual([]);
});

test('a schedule that belongs to a process ends with it', async () => {
  await using given = arrange();
  const news = listen(given);
  const { id } = given.start('make');
  const linked = dataOf(await given.call('schedule', { message: 'look', every_seconds: 5, process_id: id }));

  given.backend.lastRun.exit();
  await pass(given, 10_000);
  const late = await given.call('schedule', { message: 'look', every_seconds: 5, process_id: id });

  expect(linked).toMatchObject({
    process_id: id,
    message: expect.stringContaining(`until process ${id} ends`),
  });
  expect(news).toEqual([]);
  expect(errorOf(late)).toContain('no reminder can belong to it');
});

test("another owner's schedule is not found", async () => {
  await using given = arrange();
  const { id } = given.supervisor.schedule({ owner: 'somebody', message: 'x', after: '5s' });

  const cancel = await given.call('schedule', { action: 'cancel', schedule_id: id });
  const list = await given.call('schedule', { action: 'list' });

  expect(errorOf(cancel)).toContain(`Schedule "${id}" not found.`);
  expect(dataOf(list).schedules).toEqual([]);
  expect(given.supervisor.schedules()).toHaveLength(1);
});

test.for([
  [{}, 'message is required'],
  [{ message: 'x' }, 'after_seconds or every_seconds is required'],
  [{ message: 'x', after_seconds: 1, every_seconds: 1 }, 'not both'],
  [{ message: 'x', every_seconds: 0.5 }, 'expected at least 1'],
  [{ message: 'x', after_seconds: 1e13 }, 'expected at most 315360000'],
  [{ message: 'x', every_seconds: 1e13 }, 'expected at most 315360000'],
  [{ action: 'cancel' }, 'schedule_id is required'],
] as const)('a schedule %j is refused', async ([input, words]) => {
  await using given = arrange();

  expect(errorOf(await given.call('schedule', input))).toContain(words);
});

test('a schedule of ten years can be listed', async () => {
  await using given = arrange();

  const added = await given.call('schedule', { message: 'look', after_seconds: 315_360_000 });
  const list = await given.call('schedule', { action: 'list' });

  expect(dataOf(list).schedules).toMatchObject([{ next_at: dataOf(added).next_at }]);
});

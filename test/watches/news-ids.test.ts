import { expect, test } from 'vitest';
import type { News } from '../../src/mailbox/news.ts';
import { createWatchRig } from './watch-rig.ts';

test('two owners hear of one moment, each for itself', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start();
  for (const owner of ['a', 'b']) rig.supervisor.watch(id, { pattern: 'tea', owner });

  run.print('tea\n');
  await rig.pass(100);
  const heard: Record<string, News[]> = { a: [], b: [] };
  for (const owner of ['a', 'b']) rig.supervisor.newsOf(owner).subscribe((news) => heard[owner]?.push(news));

  expect(heard).toMatchObject({ a: [{ lines: ['tea'] }], b: [{ lines: ['tea'] }] });
  expect(new Set(rig.news.map((news) => news.id)).size).toBe(2);
  expect(new Set(rig.news.map((news) => news.at)).size).toBe(1);
});

test('two news of one moment have two ids', async () => {
  await using rig = createWatchRig();
  const { id, run } = rig.start();
  rig.supervisor.watch(id, { pattern: 'tea' });
  await rig.pass(50);

  run.print('tea one\n');
  // What waits is searched when the process has ended, in the same millisecond.
  rig.clock.advance(50);
  run.print('tea two\n');
  run.exit();
  await rig.pass(0);

  expect(rig.news).toMatchObject([{ lines: ['tea one'] }, { lines: ['tea two'] }]);
  const [first, second] = rig.news;
  expect(first?.at).toBe(second?.at);
  expect(first?.id).not.toBe(second?.id);
});

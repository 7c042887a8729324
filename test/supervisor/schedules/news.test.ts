import { expect, test, vi } from 'vitest';
import { createNewsStream, type News } from '../../../src/supervisor/news-stream.ts';

const newsOf = (owner: string, count: number): News => ({
  type: 'schedule.due',
  id: `${owner}/${count}`,
  at: count,
  owner,
  missed: 0,
  schedule: {
    id: owner,
    owner,
    message: 'Look.',
    everyMs: null,
    nextAt: 0,
    processId: null,
    createdAt: 0,
    told: 1,
  },
});

function listen(source: { subscribe(next: (news: News) => void): unknown }): string[] {
  const heard: string[] = [];
  source.subscribe(({ id }) => void heard.push(id));
  return heard;
}

test('what nobody heard is told to the first who listens', () => {
  const stream = createNewsStream({ onDropped: () => {} });
  const onHeard = vi.fn();
  stream.tell(newsOf('a', 1), onHeard);
  expect(onHeard).not.toHaveBeenCalled();

  const first = listen(stream.news$);
  const second = listen(stream.news$);

  expect(onHeard).toHaveBeenCalledOnce();
  expect(first).toEqual(['a/1']);
  expect(second).toEqual([]);
});

test('news wait for their owner whoever else hears them', () => {
  const stream = createNewsStream({ onDropped: () => {} });
  const everybody = listen(stream.news$);
  const other = listen(stream.newsOf('b'));

  stream.tell(newsOf('a', 1));
  const owner = listen(stream.newsOf('a'));
  stream.tell(newsOf('a', 2));

  expect(everybody).toEqual(['a/1', 'a/2']);
  expect(owner).toEqual(['a/1', 'a/2']);
  expect(listen(stream.newsOf('a'))).toEqual([]);
  expect(other).toEqual([]);
});

test('an owner that left and came back has missed nothing', () => {
  const stream = createNewsStream({ onDropped: () => {} });
  const heard: string[] = [];
  const subscription = stream.newsOf('a').subscribe(({ id }) => void heard.push(id));
  stream.tell(newsOf('a', 1));
  subscription.unsubscribe();

  stream.tell(newsOf('a', 2));
  stream.newsOf('a').subscribe(({ id }) => void heard.push(id));

  expect(heard).toEqual(['a/1', 'a/2']);
});

test('of too many the oldest are dropped and counted', () => {
  const onDropped = vi.fn();
  const stream = createNewsStream({ onDropped });
  for (let count = 1; count <= 207; count += 1) stream.tell(newsOf('a', count));
  expect(onDropped).not.toHaveBeenCalled();

  const heard = listen(stream.newsOf('a'));

  expect(onDropped).toHaveBeenCalledExactlyOnceWith(7);
  expect(heard).toHaveLength(200);
  expect(heard[0]).toBe('a/8');
});

test('what was withdrawn is never heard', () => {
  const stream = createNewsStream({ onDropped: () => {} });
  const onHeard = vi.fn();
  stream.tell(newsOf('a', 1), onHeard);

  stream.withdraw(({ id }) => id === 'a/1');

  expect(listen(stream.news$)).toEqual([]);
  expect(listen(stream.newsOf('a'))).toEqual([]);
  expect(onHeard).not.toHaveBeenCalled();
});

import { take } from 'rxjs';
import { expect, test, vi } from 'vitest';
import { Mailboxes } from '../../src/mailbox/mailboxes.ts';
import type { News } from '../../src/mailbox/news.ts';
import type { ProcessView } from '../../src/process/process-view.ts';

const open = (onDropped: (count: number) => void = () => {}) =>
  new Mailboxes({ find: () => undefined, list: () => [], onDropped, onReaderError: () => {} });

const newsOf = (owner: string, count: number): News => ({
  type: 'schedule.due',
  id: `${owner}/${count}`,
  at: count,
  owner,
  missed: 0,
  schedule: {
    id: `${owner}/${count}`,
    owner,
    message: 'Look.',
    everyMs: null,
    nextAt: 0,
    processId: null,
    createdAt: 0,
    told: 1,
  },
});

const failureOf = (owner: string, count: number): News => ({
  type: 'watch.failed',
  id: `${owner}/watch/${count}`,
  at: count,
  owner,
  process: {} as ProcessView,
  why: 'It takes too long.',
});

function listen(source: { subscribe(next: (news: News) => void): unknown }): string[] {
  const heard: string[] = [];
  source.subscribe(({ id }) => void heard.push(id));
  return heard;
}

test('a pending notification reaches the first listener', () => {
  const stream = open();
  const onHeard = vi.fn();
  stream.publish(newsOf('a', 1), onHeard);
  expect(onHeard).not.toHaveBeenCalled();

  const first = listen(stream.news$);
  const second = listen(stream.news$);

  expect(onHeard).toHaveBeenCalledOnce();
  expect(first).toEqual(['a/1']);
  expect(second).toEqual([]);
});

test('a notification waits for its owner beside other listeners', () => {
  const stream = open();
  const everybody = listen(stream.news$);
  const other = listen(stream.newsOf('b'));

  stream.publish(newsOf('a', 1));
  const owner = listen(stream.newsOf('a'));
  stream.publish(newsOf('a', 2));

  expect(everybody).toEqual(['a/1', 'a/2']);
  expect(owner).toEqual(['a/1', 'a/2']);
  expect(listen(stream.newsOf('a'))).toEqual([]);
  expect(other).toEqual([]);
});

test('an owner that left and came back has missed nothing', () => {
  const stream = open();
  const heard: string[] = [];
  const subscription = stream.newsOf('a').subscribe(({ id }) => void heard.push(id));
  stream.publish(newsOf('a', 1));
  subscription.unsubscribe();

  stream.publish(newsOf('a', 2));
  stream.newsOf('a').subscribe(({ id }) => void heard.push(id));

  expect(heard).toEqual(['a/1', 'a/2']);
});

test('the oldest notifications are dropped and counted', () => {
  const onDropped = vi.fn();
  const stream = open(onDropped);
  for (let count = 1; count <= 1_007; count += 1) stream.publish(failureOf('a', count));
  expect(onDropped).not.toHaveBeenCalled();

  const heard = listen(stream.newsOf('a'));

  expect(onDropped).toHaveBeenCalledExactlyOnceWith(7);
  expect(heard).toHaveLength(1_000);
  expect(heard[0]).toBe('a/watch/8');
});

test('a removed notification reaches no listener', () => {
  const stream = open();
  const onHeard = vi.fn();
  stream.publish(newsOf('a', 1), onHeard);

  stream.removePending(({ id }) => id === 'a/1');

  expect(listen(stream.news$)).toEqual([]);
  expect(listen(stream.newsOf('a'))).toEqual([]);
  expect(onHeard).not.toHaveBeenCalled();
});

test('a listener that takes one leaves the others', () => {
  const stream = open();
  const onHeard = vi.fn();
  for (let count = 1; count <= 3; count += 1) stream.publish(newsOf('a', count), () => onHeard(count));

  const first = listen(stream.news$.pipe(take(1)));
  const heardByAll = onHeard.mock.calls.flat();
  const second = listen(stream.newsOf('a').pipe(take(2)));
  const third = listen(stream.newsOf('a'));

  expect(first).toEqual(['a/1']);
  expect(heardByAll).toEqual([1]);
  expect(second).toEqual(['a/1', 'a/2']);
  expect(onHeard.mock.calls.flat()).toEqual([1, 2, 3]);
  expect(third).toEqual(['a/3']);
});

test('a listener misses what it removes', () => {
  const stream = open();
  for (let count = 1; count <= 3; count += 1) stream.publish(newsOf('a', count));
  const heard: string[] = [];

  stream.newsOf('a').subscribe(({ id }) => {
    heard.push(id);
    stream.removePending((news) => news.id === 'a/2');
  });

  expect(heard).toEqual(['a/1', 'a/3']);
});

test('an absent owner displaces only its own notifications', () => {
  const onDropped = vi.fn();
  const stream = open(onDropped);
  stream.publish(failureOf('quiet', 1));
  for (let count = 1; count <= 1_800; count += 1) stream.publish(failureOf('noisy', count));

  expect(listen(stream.newsOf('quiet'))).toEqual(['quiet/watch/1']);
  expect(listen(stream.newsOf('noisy'))).toHaveLength(1_000);
  expect(onDropped).toHaveBeenCalledExactlyOnceWith(800);
});

test('the owner with most notifications gives way', () => {
  const stream = open();
  for (let count = 1; count <= 200; count += 1) stream.publish(failureOf('noisy', count));
  for (let owner = 1; owner <= 1_900; owner += 1) stream.publish(failureOf(`owner${owner}`, 1));

  expect(listen(stream.newsOf('owner1'))).toHaveLength(1);
  expect(listen(stream.newsOf('noisy'))).toHaveLength(100);
  expect(listen(stream.news$)).toHaveLength(1_899);
});

test('a pending reminder never gives way to matches', () => {
  const stream = open();
  for (let count = 1; count <= 300; count += 1) stream.publish(newsOf('a', count));
  for (let count = 1; count <= 1_000; count += 1) stream.publish(failureOf('a', count));

  const heard = listen(stream.newsOf('a'));

  expect(heard.filter((id) => !id.includes('watch'))).toHaveLength(300);
});

test('newsOf completes with news$', () => {
  const stream = open();
  const ended: string[] = [];
  stream.newsOf('a').subscribe({ complete: () => ended.push('before') });

  stream.complete();
  stream.newsOf('a').subscribe({ complete: () => ended.push('after') });
  stream.newsOf('b').subscribe({ complete: () => ended.push('another') });

  expect(ended).toEqual(['before', 'after', 'another']);
});

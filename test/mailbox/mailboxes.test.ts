import { take } from 'rxjs';
import { expect, test, vi } from 'vitest';
import { Mailboxes } from '../../src/mailbox/mailboxes.ts';
import type { News } from '../../src/mailbox/news.ts';
import type { ProcessView } from '../../src/process/process-view.ts';
import { endedView, runningView } from '../support/views.ts';

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

const matchOf = (owner: string, count: number, matches: number): News =>
  ({
    ...{ type: 'watch.matched', id: `${owner}/match/${count}`, at: count, owner, pattern: 'x', lines: ['x'] },
    ...{ matches, suppressed: matches - 1, process: { ...runningView({ id: 'tool_1' }), owner } },
  }) as News;

test('matches that give way are counted in the next ones of their process', () => {
  const onDropped = vi.fn();
  const stream = open(onDropped);
  for (let count = 1; count <= 1_002; count += 1) stream.publish(matchOf('a', count, 2));
  const heard: News[] = [];

  stream.newsOf('a').subscribe((news) => void heard.push(news));

  expect(heard).toHaveLength(1_000);
  expect(heard[0]).toMatchObject({ id: 'a/match/3', matches: 6, suppressed: 5 });
  expect(heard[1]).toMatchObject({ id: 'a/match/4', matches: 2, suppressed: 1 });
  expect(onDropped).not.toHaveBeenCalled();
});

test('a reminder of a process that has ended meanwhile is gone when its owner comes', () => {
  const remind = (count: number, processId: string): News => {
    const news = newsOf('a', count) as Extract<News, { type: 'schedule.due' }>;
    return { ...news, schedule: { ...news.schedule, processId } };
  };
  const views = new Map<string, ProcessView>([
    ['tool_1', endedView({ id: 'tool_1' })],
    ['tool_2', runningView({ id: 'tool_2' })],
  ]);
  const mailboxes = new Mailboxes({
    find: (id) => ({ view: () => views.get(id) }) as never,
    list: () => [],
    onDropped: () => {},
    onReaderError: () => {},
  });
  mailboxes.publish(remind(1, 'tool_1'));
  mailboxes.publish(remind(2, 'tool_2'));

  const mailbox = mailboxes.open('a');

  expect([...mailbox.waiting.keys()]).toEqual(['a/2']);
});

test('a replaced reader neither takes, adds, confirms nor retracts', () => {
  const stream = open();
  const former = stream.open('a', {});
  const current = stream.open('a', {});
  stream.publish(newsOf('a', 1));

  former.delivered(['a/1']);
  former.retract(['a/1']);
  const isAdded = former.add({ kind: 'message', id: 'm1', attention: 'turn', text: 'x' });

  expect([former.take(), isAdded]).toEqual([null, false]);
  expect([...current.waiting.keys()]).toEqual(['a/1']);
  expect([former.owner, former.has('a/1'), former.has('m1')]).toEqual(['a', true, false]);
});

test('a reader hears of each change but its own deliveries', () => {
  const stream = open();
  const heard: unknown[] = [];
  const mailbox = stream.open('a', { onChange: (change) => heard.push(change) });
  const message = { kind: 'message', id: 'm1', attention: 'turn', text: 'x' } as const;

  mailbox.add(message);
  mailbox.add({ ...message, id: 'm2' });
  mailbox.retract(['m1', 'm3']);
  mailbox.retract(['m3']);
  mailbox.delivered(['m2']);

  expect(heard).toEqual([
    { type: 'arrived', entry: message },
    { type: 'arrived', entry: { ...message, id: 'm2' } },
    { type: 'withdrawn', ids: ['m1'] },
  ]);
});

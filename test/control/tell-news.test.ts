import { Subject } from 'rxjs';
import { expect, test } from 'vitest';
import { tellNews } from '../../src/control/tell-news.ts';
import type { ProcessHandle } from '../../src/process/process-handle.ts';
import type { ProcessView } from '../../src/process/process-view.ts';
import type { Supervisor } from '../../src/supervisor/supervisor.ts';
import type { WatchNews } from '../../src/watches/watch.ts';

const matched = (count: number): WatchNews => ({
  type: 'watch.matched',
  id: `news/${count}`,
  at: count,
  owner: 'a client',
  process: {} as ProcessView,
  pattern: 'tea',
  matches: 3,
  lines: ['tea'],
  suppressed: 2,
});

test('a slow client gets a count of what it missed', async () => {
  const news = new Subject<WatchNews>();
  const supervisor = { watch: () => {}, unwatch: () => true, newsOf: () => news } as unknown as Supervisor;
  const sent: WatchNews[] = [];
  const room = Promise.withResolvers<void>();
  const port = {
    signal: new AbortController().signal,
    send: (each: unknown) => {
      sent.push(each as WatchNews);
      return room.promise;
    },
  };
  const telling = tellNews({ id: 'tool_a' } as ProcessHandle, {
    supervisor,
    options: { pattern: 'tea' },
    port,
  });
  for (let count = 1; count <= 200; count += 1) news.next(matched(count));

  news.complete();
  room.resolve();
  await telling;

  expect(sent.length).toBeLessThan(70);
  expect(sent.reduce((sum, each) => sum + (each.type === 'watch.matched' ? each.matches : 0), 0)).toBe(600);
  for (const each of sent)
    if (each.type === 'watch.matched') expect(each.lines.length + each.suppressed).toBe(each.matches);
});

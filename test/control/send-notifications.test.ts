import { expect, test } from 'vitest';
import { sendNotifications } from '../../src/control/send-notifications.ts';
import { Mailboxes } from '../../src/mailbox/mailboxes.ts';
import type { ProcessHandle } from '../../src/process/process-handle.ts';
import type { ProcessView } from '../../src/process/process-view.ts';
import type { Supervisor } from '../../src/supervisor/supervisor.ts';
import type { WatchNews, WatchOptions } from '../../src/watches/watch.ts';

const matched = (owner: string, count: number): WatchNews => ({
  type: 'watch.matched',
  id: `news/${count}`,
  at: count,
  owner,
  process: { id: 'tool_a' } as ProcessView,
  pattern: 'tea',
  matches: 3,
  lines: ['tea'],
  suppressed: 2,
});

test('matches that a slow client misses are counted in later ones', async () => {
  const mailboxes = new Mailboxes({
    find: () => undefined,
    list: () => [],
    onDropped: () => {},
    onReaderError: () => {},
  });
  const watches: WatchOptions[] = [];
  const supervisor = {
    watch: (_: string, options: WatchOptions) => watches.push(options),
    unwatch: () => true,
    newsOf: (owner: string) => mailboxes.newsOf(owner),
  } as unknown as Supervisor;
  const sent: WatchNews[] = [];
  const room = Promise.withResolvers<void>();
  const port = {
    signal: new AbortController().signal,
    send: (each: unknown) => {
      sent.push(each as WatchNews);
      return room.promise;
    },
  };
  const telling = sendNotifications({ id: 'tool_a' } as ProcessHandle, {
    supervisor,
    options: { pattern: 'tea' },
    port,
  });
  const [{ owner = '', onOver } = {}] = watches;
  for (let count = 1; count <= 2_000; count += 1) mailboxes.publish(matched(owner, count));

  onOver?.('ended');
  room.resolve();
  await telling;

  expect(sent.length).toBeLessThan(1_010);
  expect(sent.reduce((sum, each) => sum + (each.type === 'watch.matched' ? each.matches : 0), 0)).toBe(6_000);
  for (const each of sent)
    if (each.type === 'watch.matched') expect(each.lines.length + each.suppressed).toBe(each.matches);
});

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

/** Sends the notices of a watch to a client that reads nothing before `read` is called. */
function arrange() {
  const mailboxes = new Mailboxes({
    find: () => undefined,
    list: () => [],
    onDropped: () => {},
    onReaderError: () => {},
  });
  const watches: WatchOptions[] = [];
  const withdrawn: unknown[] = [];
  const supervisor = {
    watch: (_: string, options: WatchOptions) => watches.push(options),
    unwatch: (_: string, options: object) => withdrawn.push(options),
    newsOf: (owner: string) => mailboxes.newsOf(owner),
  } as unknown as Supervisor;
  const sent: WatchNews[] = [];
  const room = Promise.withResolvers<void>();
  const abort = new AbortController();
  const port = {
    signal: abort.signal,
    send: (each: unknown) => {
      sent.push(each as WatchNews);
      return room.promise;
    },
  };
  const process = { id: 'tool_a', attempt: 2 } as ProcessView;
  const handle = { id: 'tool_a', view: () => process } as ProcessHandle;
  const done = sendNotifications(handle, { supervisor, options: { pattern: 'tea' }, port });
  const [{ owner = '', onOver } = {}] = watches;
  return { mailboxes, owner, onOver, sent, withdrawn, abort, done, process, read: () => room.resolve() };
}

test('matches that a slow client misses are counted in later ones', async () => {
  const { mailboxes, owner, onOver, sent, done, read } = arrange();
  for (let count = 1; count <= 2_000; count += 1) mailboxes.publish(matched(owner, count));

  onOver?.('ended');
  read();
  await done;

  expect(sent.length).toBeLessThan(1_010);
  expect(sent.reduce((sum, each) => sum + (each.type === 'watch.matched' ? each.matches : 0), 0)).toBe(6_000);
  for (const each of sent)
    if (each.type === 'watch.matched') expect(each.lines.length + each.suppressed).toBe(each.matches);
});

test('a client learns that its watch was withdrawn', async () => {
  const { onOver, owner, sent, done, process, read } = arrange();
  read();

  onOver?.('cancelled');

  expect(await done).toBeNull();
  expect(sent).toEqual([
    {
      type: 'watch.failed',
      id: expect.stringMatching(/^tool_a\/2\/takenBack\/\d+\/client_/),
      at: expect.any(Number),
      owner,
      process,
      why: 'it was withdrawn',
    },
  ]);
});

test('a client that leaves withdraws its watch and gets no more', async () => {
  const { mailboxes, onOver, owner, sent, withdrawn, abort, done } = arrange();

  abort.abort();
  mailboxes.publish(matched(owner, 1));
  onOver?.('cancelled');

  expect(await done).toBeNull();
  expect(withdrawn).toEqual([{ owner }]);
  expect(sent).toEqual([]);
});

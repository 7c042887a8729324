import { expect, test } from 'vitest';
import { createMailbox } from '../../src/mailbox/mailbox.ts';
import type { MailboxEntry } from '../../src/mailbox/mailbox-entry.ts';
import { openDirectoryHarness } from '../support/directory.ts';
import { deadLeftover } from '../support/views.ts';
import { createVirtualHarness } from '../support/virtual.ts';

/** An owner of processes that are played by hand. */
function arrange(rig = createVirtualHarness()) {
  const { supervisor, backend } = rig;
  return {
    ...rig,
    start: (more: { readonly owner?: string; readonly lifetime?: 'persistent' } = {}) =>
      supervisor.start({ command: 'make', owner: 'agent', background: true, ...more }),
    end: async (code = 0) => {
      backend.lastRun.exit({ code });
      await Promise.all(supervisor.list().map(({ id }) => supervisor.get(id)?.ended));
    },
  };
}

test('an end comes back until it is confirmed', async () => {
  await using given = arrange();
  const mailbox = given.supervisor.mailbox('agent');
  const { id } = given.start();
  await given.end(2);

  const [first, second] = [mailbox.take(), mailbox.take()];
  mailbox.delivered(second?.ids ?? []);

  expect(first).toEqual({ ids: [`${id}/1/ended`], text: expect.stringContaining('status="failed"') });
  expect(second).toEqual(first);
  expect(mailbox.take()).toBe(null);
});

test('an end before the opening waits in the mailbox', async () => {
  await using given = arrange();
  const { id } = given.start();
  await given.end();

  expect(given.supervisor.mailbox('agent').take()?.ids).toEqual([`${id}/1/ended`]);
});

test('an end that an answer has revealed never arrives', async () => {
  await using given = arrange();
  const mailbox = given.supervisor.mailbox('agent');
  const { id } = given.start();

  mailbox.delivered([`${id}/1/ended`]);
  await given.end();

  expect(mailbox.take()).toBe(null);
});

test('arrived() waits for the end of a process with a leftover', async () => {
  await using given = arrange();
  const mailbox = given.supervisor.mailbox('agent');
  const { id, ended } = given.start();
  given.backend.lastRun.children = [deadLeftover];
  const arrived = ended.then(() => mailbox.arrived());

  given.backend.lastRun.exit();
  await arrived;

  expect(mailbox.take()?.ids).toEqual([`${id}/1/ended`]);
});

test('an end goes to the mailbox of its owner alone', async () => {
  await using given = arrange();
  const [mailbox, other] = [given.supervisor.mailbox('agent'), given.supervisor.mailbox('other')];
  given.start();
  await given.end();

  expect(mailbox.waiting.size).toBe(1);
  expect(other.take()).toBe(null);
});

test('a delivered end is not delivered by the next supervisor', async () => {
  const { open } = openDirectoryHarness({ recordsIn: 'files' });
  const ends: (number | undefined)[] = [];
  {
    await using given = arrange(open());
    const mailbox = given.supervisor.mailbox('agent');
    for (let count = 0; count < 2; count += 1) {
      given.start({ lifetime: 'persistent' });
      await given.end();
      if (count === 0) mailbox.delivered(mailbox.take()?.ids ?? []);
    }
    ends.push(mailbox.take()?.ids.length);
  }

  await using next = arrange(open());
  const mailbox = next.supervisor.mailbox('agent');
  ends.push(mailbox.take()?.ids.length);
  mailbox.delivered(mailbox.take()?.ids ?? []);

  expect(ends).toEqual([1, 1]);
  expect(mailbox.take()).toBe(null);
});

test('due$ emits for entries worth a turn, also to late subscribers', async () => {
  await using given = arrange();
  const mailbox = given.supervisor.mailbox('agent');
  let early = 0;
  let late = 0;
  mailbox.due$.subscribe(() => {
    early += 1;
  });
  given.start();
  await given.end();

  mailbox.due$.subscribe(() => {
    late += 1;
  });
  mailbox.add({
    kind: 'notice',
    id: 'aside',
    attention: 'context',
    part: { type: 'told', source: 'a', text: 'b' },
  });

  expect([early, late]).toEqual([1, 1]);
});

test('a cancelled schedule takes its reminder back', async () => {
  await using given = arrange();
  const mailbox = given.supervisor.mailbox('agent');
  const { id } = given.supervisor.schedule({ message: 'Look.', every: 1_000, owner: 'agent' });
  given.clock.advance(1_000);
  const before = mailbox.take();

  given.supervisor.unschedule(id);

  expect(before?.text).toContain('Look.');
  expect(mailbox.take()).toBe(null);
});

test('notices that come after a close wait for the next opening', async () => {
  await using given = arrange();
  const { supervisor, clock } = given;
  supervisor.mailbox('agent').close();
  const isHeard = supervisor.isHeard('agent');
  given.start();
  await given.end();
  supervisor.schedule({ message: 'Look.', after: 1_000, owner: 'agent' });
  clock.advance(1_000);

  const mailbox = supervisor.mailbox('agent');

  expect([isHeard, supervisor.isHeard('agent')]).toEqual([false, true]);
  expect(mailbox.take()?.ids).toHaveLength(2);
});

test('a reader that was replaced changes nothing', async () => {
  await using given = arrange();
  const former = given.supervisor.mailbox('agent', {});
  const mailbox = given.supervisor.mailbox('agent', {});
  given.start();
  await given.end();
  const [id = ''] = mailbox.waiting.keys();

  former.delivered([id]);
  former.retract([id]);
  former.close();

  expect(former.take()).toBe(null);
  expect(mailbox.take()?.ids).toEqual([id]);
});

const end = (count: number): MailboxEntry => ({
  kind: 'notice',
  id: `tool_${count}/1/ended`,
  attention: 'turn',
  part: {
    type: 'ended',
    id: `tool_${count}`,
    label: null,
    status: 'completed',
    code: 0,
    signal: null,
    runtimeMs: 5,
    command: 'make',
    end: 'exited with code 0',
    leftovers: [],
    ports: [],
    logFile: null,
    outputBytes: 0,
    unreadBytes: 0,
    tail: '',
    answer: null,
  },
});

test('the oldest notice gives way and is counted', () => {
  const mailbox = createMailbox('agent');
  for (let count = 1; count <= 1_005; count += 1) mailbox.add(end(count));

  const notice = mailbox.take();
  mailbox.delivered(notice?.ids ?? []);
  mailbox.add(end(2_000));

  expect(notice?.ids).toHaveLength(1_000);
  expect(notice?.ids[0]).toBe('tool_6/1/ended');
  expect(notice?.text).toContain('<more dropped="5">');
  expect(mailbox.take()?.text).not.toContain('dropped');
});

test('a store persists an entry before it counts', () => {
  const committed: string[] = [];
  const mailbox = createMailbox('agent');
  const state = { waiting: new Map(), settled: new Set<string>(), dropped: 0 };
  mailbox.attach({
    store: {
      state,
      remembersAll: true,
      commit: (change) => {
        committed.push(`${change.type} ${state.waiting.size}`);
        if (change.type === 'arrived') state.waiting.set(change.entry.id, change.entry);
      },
    },
  });

  mailbox.add(end(1));

  expect(committed).toEqual(['arrived 0']);
});

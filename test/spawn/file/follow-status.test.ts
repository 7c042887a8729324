import { expect, test } from 'vitest';
import { followStatus } from '../../../src/spawn/file/follow-status.ts';
import { parseStatus } from '../../../src/spawn/file/status-file.ts';
import type { ProcessEntry } from '../../../src/spawn/tree/process-table.ts';
import { createVirtualClock } from '../../../src/testing/virtual-clock.ts';
import { createFakeTable, entry } from '../tree/entries.ts';

const turns = () => new Promise(setImmediate);

/** Leader whose launcher was killed, and whose recorded exit is the launcher's. */
async function arrange() {
  const clock = createVirtualClock();
  const leader = entry(100, { ppid: 99 });
  const content = { entries: [leader], carriers: [] };
  const told: string[] = [];
  const watch = followStatus({
    read: (known) =>
      parseStatus('launcher 1 99\nleader 1 100\nbegan 1 100 start-100\nexit 1 9 signal\n', {
        attempt: 1,
        known,
      }),
    mayStillWrite: async () => false,
    pauseMs: () => 1_000,
    sharesGroup: true,
    table: createFakeTable(content),
    id: 'tool_a',
    clock,
    listener: {
      onStarted: async () => void told.push('begun'),
      onExit: ({ signal }) => void told.push(`exit by ${signal}`),
      onLost: () => void told.push('unseen end'),
      onNeverStarted: () => void told.push('nothing'),
    },
    reportError: (error) => {
      throw error;
    },
  });
  watch.look();
  await turns();
  /** Advances the time, and then ends the leader. */
  const passMs = async (ms: number) => {
    for (let passedMs = 0; passedMs < ms; passedMs += 50) {
      clock.advance(50);
      await turns();
    }
  };
  const endAfter = async (ms: number) => {
    await passMs(ms);
    content.entries.length = 0;
    await passMs(1_000);
  };
  return { told, endAfter };
}

test('a leader that outlives its launcher has not ended', async () => {
  const { told, endAfter } = await arrange();

  expect(told).toEqual(['begun']);
  await endAfter(5_000);

  expect(told).toEqual(['begun', 'unseen end']);
});

test('a leader that dies with its launcher has its exit', async () => {
  const { told, endAfter } = await arrange();

  await endAfter(100);

  expect(told).toEqual(['begun', 'exit by SIGKILL']);
});

/** Follows a status file whose text, writer and table a test plays. */
function follow({ text = '', isOpen = true, entries = [] as ProcessEntry[], sharesGroup = true } = {}) {
  const clock = createVirtualClock();
  const content = { entries, carriers: [] as number[] };
  const given = { text, isOpen, breaks: false, pauseMs: 1_000 as number | null };
  const told: string[] = [];
  let reads = 0;
  const watch = followStatus({
    read: (known) => {
      reads += 1;
      if (given.breaks) throw new Error('EMFILE');
      return parseStatus(given.text, { attempt: 1, known });
    },
    mayStillWrite: async () => given.isOpen,
    pauseMs: () => given.pauseMs,
    ...(sharesGroup && { sharesGroup }),
    ...{ table: createFakeTable(content), id: 'tool_a', clock },
    listener: {
      onStarted: async ({ pid, entry: found }) =>
        void told.push(`started ${pid} ${found?.startedAt ?? 'dead'}`),
      onExit: ({ code }) => void told.push(`exit ${code}`),
      onLost: () => void told.push('lost'),
      onNeverStarted: ({ shellOutput }) => void told.push(`never ${shellOutput}`),
    },
    reportError: (error) => told.push(String(error)),
  });
  const settle = async () => {
    for (let left = 5; left > 0; left -= 1) await turns();
  };
  const look = async () => {
    watch.look();
    await settle();
  };
  const pass = async (ms: number) => {
    clock.advance(ms);
    await settle();
  };
  return { ...{ clock, content, given, told, watch, look, pass }, reads: () => reads };
}

const leading = 'launcher 1 99\nleader 1 100\n';

test('an exit does not count while the leader lives', async () => {
  const { given, told, look, pass } = follow({ entries: [entry(100, { ppid: 99 })] });

  await look();
  expect(told).toEqual([]);
  given.text = leading;
  await look();
  await look();
  expect(told).toEqual(['started 100 start-100']);
  given.text += 'exit 1 3\n';
  await pass(1_000);
  expect(told).toEqual(['started 100 start-100']);
  await look();

  // The leader is still alive: the exit may be that of its launcher.
  expect(told).toEqual(['started 100 start-100']);
});

test('an exit counts once the leader is gone', async () => {
  const { content, given, told, look } = follow({ text: leading, entries: [entry(100, { ppid: 99 })] });
  await look();

  given.text += 'exit 1 3\n';
  content.entries = [];
  await look();
  await look();

  expect(told).toEqual(['started 100 start-100', 'exit 3']);
});

test('a leader that has ended before it was seen is told with its exit', async () => {
  const { told, look } = follow({ text: `${leading}exit 1 0\n` });

  await look();

  expect(told).toEqual(['started 100 dead', 'exit 0']);
});

test('a leader counts once it has its group', async () => {
  const launching = entry(100, { ppid: 99, pgid: 99 });
  const { content, told, look } = follow({ text: leading, entries: [launching], sharesGroup: false });

  await look();
  expect(told).toEqual([]);
  content.entries = [{ ...launching, pgid: 100 }];
  await look();

  expect(told).toEqual(['started 100 start-100']);
});

test('a file without a leader and without a writer is told with its words', async () => {
  const { given, told, look } = follow({ text: 'launcher 1 99\nno room\n' });

  await look();
  expect(told).toEqual([]);
  given.isOpen = false;
  await look();
  await look();

  expect(told).toEqual(['never no room']);
});

test('a leader that is gone without an exit is lost once no writer is left', async () => {
  const { content, given, told, look } = follow({ text: leading, entries: [entry(100, { ppid: 99 })] });
  await look();

  content.entries = [];
  await look();
  expect(told).toHaveLength(1);
  given.isOpen = false;
  await look();

  expect(told).toEqual(['started 100 start-100', 'lost']);
});

test('looks repeat after the pause, or only on request', async () => {
  const { given, told, look, pass, clock, reads } = follow({ text: '' });
  await look();
  const before = reads();

  await pass(999);
  expect(reads()).toBe(before);
  given.pauseMs = null;
  await pass(1);
  expect(reads()).toBe(before + 1);
  await pass(100_000);

  expect([reads(), clock.pending, told]).toEqual([before + 1, 0, []]);
});

test('a file that cannot be read is reported, and read again soon', async () => {
  const { given, told, look, pass } = follow({ text: `${leading}exit 1 0\n` });
  given.breaks = true;
  await look();
  expect(told).toEqual(['Error: EMFILE']);

  given.breaks = false;
  await pass(199);
  expect(told).toHaveLength(1);
  await pass(1);

  expect(told.slice(1)).toEqual(['started 100 dead', 'exit 0']);
});

test('a cancelled watch continues until the leader is known', async () => {
  const { given, told, watch, look, pass, clock } = follow({ entries: [entry(100, { ppid: 99 })] });
  await look();

  watch.cancel();
  given.text = leading;
  await pass(1_000);
  expect(told).toEqual(['started 100 start-100']);
  given.text += 'exit 1 0\n';
  await pass(10_000);

  expect([told.length, clock.pending]).toEqual([1, 0]);
});

test('a watch that knows its leader ends at once', async () => {
  const { content, given, told, watch, look, clock } = follow({
    text: leading,
    entries: [entry(100, { ppid: 99 })],
  });
  await look();

  watch.cancel();
  given.text += 'exit 1 0\n';
  content.entries = [];
  await look();

  expect([told.length, clock.pending]).toEqual([1, 0]);
});

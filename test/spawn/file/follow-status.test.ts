import { expect, test } from 'vitest';
import { followStatus } from '../../../src/spawn/file/follow-status.ts';
import { parseStatus } from '../../../src/spawn/file/status-file.ts';
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

import { expect, test } from 'vitest';
import { claimDaemon } from '../../src/control/claim-daemon.ts';
import { createFileSupervisorRoll } from '../../src/store/file-supervisor-roll.ts';
import type { RollEntry, SupervisorRoll } from '../../src/store/supervisor-roll.ts';
import { createVirtualClock } from '../../src/testing/index.ts';
import { tempDir } from '../fixtures/os.ts';

/** A roll in which the other daemon, of another program, is seen or missed, look by look; the last of them counts from then on. */
function createRoll(directory: string, looks: readonly ('seen' | 'missed')[]) {
  const own = createFileSupervisorRoll({ directory });
  own.enter({ id: 'sup_other', role: 'daemon', socket: '/run/other.sock' });
  const [it] = own.list();
  own.leave('sup_other');
  const other = { entry: { ...it?.entry, pid: process.ppid } as RollEntry, state: 'alive' as const };
  let count = 0;
  const roll: SupervisorRoll = {
    ...own,
    list: () => {
      const look = looks[Math.min(count, looks.length - 1)];
      count += 1;
      return look === 'seen' ? [...own.list(), other] : own.list();
    },
  };
  return { own, roll };
}

test('who is alone has the place', async () => {
  using directory = tempDir();
  const { own, roll } = createRoll(directory.path, ['missed']);

  const leave = await claimDaemon(roll, createVirtualClock());

  expect(own.list()).toHaveLength(1);
  leave?.();
  expect(own.list()).toEqual([]);
});

test('a daemon that exchanges its entry while it is looked for is not missed', async () => {
  using directory = tempDir();
  const { own, roll } = createRoll(directory.path, ['missed', 'seen']);

  expect(await claimDaemon(roll, createVirtualClock())).toBeNull();
  expect(own.list()).toEqual([]);
});

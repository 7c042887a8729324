import { expect, test } from 'vitest';
import { claimDaemon } from '../../src/control/claim-daemon.ts';
import { createFileSupervisorRegistry } from '../../src/store/file-supervisor-registry.ts';
import type { SupervisorEntry, SupervisorRegistry } from '../../src/store/supervisor-registry.ts';
import { createVirtualClock } from '../../src/testing/index.ts';
import { tempDir } from '../support/os.ts';

/** A roll in which the other daemon, of another program, is seen or missed, look by look; the last of them counts from then on. */
function createRoll(directory: string, looks: readonly ('seen' | 'missed')[]) {
  const own = createFileSupervisorRegistry({ directory });
  own.register({ id: 'sup_other', role: 'daemon', socket: '/run/other.sock' });
  const [it] = own.list();
  own.unregister('sup_other');
  const other = { entry: { ...it?.entry, pid: process.ppid } as SupervisorEntry, state: 'alive' as const };
  let count = 0;
  const roll: SupervisorRegistry = {
    ...own,
    list: () => {
      const look = looks[Math.min(count, looks.length - 1)];
      count += 1;
      return look === 'seen' ? [...own.list(), other] : own.list();
    },
  };
  return { own, roll };
}

test('a sole daemon wins the claim', async () => {
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

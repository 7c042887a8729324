import { expect, test } from 'vitest';
import { claimDaemon } from '../../src/control/claim-daemon.ts';
import { createFileSupervisorRegistry } from '../../src/store/file-supervisor-registry.ts';
import type { SupervisorEntry, SupervisorRegistry } from '../../src/store/supervisor-registry.ts';
import { createVirtualClock } from '../../src/testing/index.ts';
import { tempDir } from '../support/os.ts';
import { turn } from '../support/virtual.ts';

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

/** A registry in which other daemons are found, look by look; the last of them count from then on. */
function createRegistry(looks: readonly (readonly Partial<SupervisorEntry>[])[]) {
  const registered: Partial<SupervisorEntry>[] = [];
  const unregistered: string[] = [];
  let count = 0;
  const registry = {
    register: (entry: Partial<SupervisorEntry>) => void registered.push(entry),
    unregister: (id: string) => void unregistered.push(id),
    list: () => {
      const look = looks[Math.min(count, looks.length - 1)] ?? [];
      count += 1;
      return look.map((entry) => ({
        entry: { role: 'daemon', pid: process.ppid, socket: null, ...entry },
        state: entry.since === 0 ? 'dead' : 'alive',
      }));
    },
  } as unknown as SupervisorRegistry;
  return { registry, registered, unregistered, looks: () => count };
}

const first = { id: 'sup_0' };
const last = { id: 'sup_zzzzzzzzzzzzz' };

test.each([
  ['another daemon that listens', [{ ...last, socket: '/a.sock' }]],
  ['an earlier claim', [first]],
  ['a later claim and an earlier one', [last, first]],
])('%s takes the claim', async (_, others) => {
  const { registry, registered, unregistered, looks } = createRegistry([others]);

  expect(await claimDaemon(registry, createVirtualClock())).toBeNull();
  expect(registered).toMatchObject([{ role: 'daemon', socket: null }]);
  expect(unregistered).toEqual(registered.map(({ id }) => id));
  expect(looks()).toBe(1);
});

test.each([
  ['a dead claim', { ...first, since: 0 }],
  ['a supervisor of a program', { ...first, role: 'program' as const }],
  ['a claim of this program', { ...first, pid: process.pid }],
])('%s does not count', async (_, other) => {
  const { registry, unregistered, looks } = createRegistry([[other]]);

  expect(await claimDaemon(registry, createVirtualClock())).not.toBeNull();
  expect([unregistered, looks()]).toEqual([[], 2]);
});

test('an earlier claim waits until the later one is gone', async () => {
  const { registry } = createRegistry([[last], [last], []]);
  const clock = createVirtualClock();
  let isOver = false;

  const claim = claimDaemon(registry, clock).finally(() => {
    isOver = true;
  });
  await turn();
  const wasOver = isOver;
  for (let step = 0; step < 2; step += 1) {
    clock.advance(10);
    await turn();
  }

  expect([wasOver, isOver]).toEqual([false, true]);
  expect(await claim).not.toBeNull();
});

test('an earlier claim yields to one that stays for three seconds', async () => {
  const { registry, unregistered } = createRegistry([[last]]);
  const clock = createVirtualClock();

  const claim = claimDaemon(registry, clock);
  for (let ms = 0; ms <= 3_000; ms += 10) {
    await turn();
    clock.advance(10);
  }

  expect(await claim).toBeNull();
  expect(unregistered).toHaveLength(1);
});

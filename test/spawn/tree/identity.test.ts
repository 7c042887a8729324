import { expect, test } from 'vitest';
import { createCurrentTable } from '../../../src/spawn/tree/current-table.ts';
import { identify, isSameScope, isStillAlive, ownsPid } from '../../../src/spawn/tree/identity.ts';
import { startTicksOf } from '../../support/os.ts';
import { entry, leaderIdentity } from './entries.ts';

test('an identity names one process for ever', async () => {
  const table = createCurrentTable();

  const identity = await identify(table, { pid: process.pid, id: 'tool_a' });

  expect(identity).toMatchObject({
    pid: process.pid,
    startedAt: startTicksOf(process.pid),
    cookie: '/tool_a/',
    ...(await table.scope()),
  });
  expect(JSON.parse(JSON.stringify(identity))).toEqual(identity);
});

test('an unused pid has no identity', async () => {
  expect(await identify(createCurrentTable(), { pid: 2 ** 30, id: 'tool_a' })).toBeNull();
});

test('a zombie is not alive but owns its pid', () => {
  const zombie = entry(100, { alive: false });

  expect(isStillAlive(leaderIdentity, entry(100))).toBe(true);
  expect(isStillAlive(leaderIdentity, zombie)).toBe(false);
  expect(ownsPid(leaderIdentity, zombie)).toBe(true);
});

test('a different start time is a different process', () => {
  const other = entry(100, { startedAt: 'later' });

  expect(isStillAlive(leaderIdentity, other)).toBe(false);
  expect(ownsPid(leaderIdentity, other)).toBe(false);
  expect(isStillAlive(leaderIdentity, null)).toBe(false);
});

test('a pid means nothing on another boot or namespace', () => {
  expect(isSameScope(leaderIdentity, { bootId: 'boot', pidNamespace: 'pid:[1]' })).toBe(true);
  expect(isSameScope(leaderIdentity, { bootId: 'next', pidNamespace: 'pid:[1]' })).toBe(false);
  expect(isSameScope(leaderIdentity, { bootId: 'boot', pidNamespace: 'pid:[2]' })).toBe(false);
});

test('an unsupported platform is refused with a reason', () => {
  expect(() => createCurrentTable('win32')).toThrow(/not on win32.*WSL/);
});

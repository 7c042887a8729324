import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { BackendPort, ToldFact } from '../../../src/spawn/backend.ts';
import { createLeaderControl } from '../../../src/spawn/file/leader-control.ts';
import { noInput } from '../../../src/spawn/refusals.ts';
import { createTreeRegistry } from '../../../src/spawn/tree/tree-registry.ts';
import { createVirtualClock } from '../../../src/testing/virtual-clock.ts';
import { createFakeTable } from '../tree/entries.ts';

/** Controls a leader of which the process table shows nothing. */
async function arrange() {
  const facts: ToldFact[] = [];
  const port = {
    ...{
      clock: createVirtualClock(),
      request: { id: 'tool_a', attempt: 1, limits: null, files: null },
      output: {},
    },
    tell: (fact: ToldFact) => void facts.push(fact),
  } as unknown as BackendPort;
  const deps = {
    table: createFakeTable({ entries: [], carriers: [] }),
    trees: createTreeRegistry({ prepare: () => {}, add: () => {}, remove: () => {}, exempt: () => {} }),
    reportError: (error: unknown) => {
      throw error;
    },
  };
  const control = createLeaderControl({ port, deps }, { input: noInput, cgroup: null });
  await control.setLeader({ leader: { pid: 100, startedAt: '1' }, launcher: null });
  const types = async () => {
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    return facts.map(({ type }) => type);
  };
  return { control, types };
}

test('the output does not end before the leader', async () => {
  const { control, types } = await arrange();

  control.execute({ type: 'tree.survey' });

  expect(await types()).toEqual(['tree.surveyed']);
});

test('the output ends with the leader where the tree is empty', async () => {
  const { control, types } = await arrange();

  control.exited({ code: 0, signal: null }, 'longAgo');

  expect(await types()).toEqual(['process.exited', 'output.ended']);
});

test('the output of a lost leader ends once', async () => {
  const { control, types } = await arrange();

  control.lost('its exit is unknown');
  control.execute({ type: 'tree.survey' });

  expect(await types()).toEqual(['process.lost', 'output.ended', 'tree.surveyed']);
});

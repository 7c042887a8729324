import { expect, test } from 'vitest';
import type { Runtime } from '../../src/supervisor/runtime.ts';
import { findSurvivors } from '../../src/supervisor/shut-down.ts';
import type { SupervisorDeps } from '../../src/supervisor/supervisor-deps.ts';

const member = { pid: 4_000_000, pgid: 4_000_000, startedAt: '1', command: 'stuck' };

/** Finds what is alive of one process that has left something behind. */
function find(survey: (() => Promise<readonly (typeof member)[]>) | null) {
  const registry = { live: new Map(), withLeftovers: [{ id: 'tool_a' }] };
  const trees = { get: () => (survey === null ? undefined : { survey }) };
  return findSurvivors(
    { registry } as unknown as Pick<Runtime, 'registry'>,
    { trees } as unknown as Pick<SupervisorDeps, 'trees'>,
  );
}

test.each([
  ['a leftover that lives is a survivor', async () => [member], [{ id: 'tool_a', members: [member] }]],
  ['a leftover that has died since it was seen last is none', async () => [], []],
  ['a leftover that cannot be looked at is a survivor', null, [{ id: 'tool_a', members: [] }]],
] as const)('%s', async (_, survey, survivors) => {
  expect(await find(survey)).toEqual(survivors);
});

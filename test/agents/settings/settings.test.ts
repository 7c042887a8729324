import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { listKeys } from '../list-keys.ts';
import { agentProbes } from './agent-probes.ts';
import { policyProbes } from './policy-probes.ts';
import { define } from './probe.ts';
import { supervisorProbes } from './supervisor-probes.ts';

const probes = { ...agentProbes, ...policyProbes, ...supervisorProbes };

/** Removes the variables that the hints set, which the machine may define itself. */
beforeEach(() => {
  vi.stubEnv('TERM', 'xterm');
  for (const name of ['PAGER', 'GIT_PAGER', 'GIT_TERMINAL_PROMPT']) vi.stubEnv(name, undefined);
});

afterEach(() => void vi.unstubAllEnvs());

test('every setting has a probe', () => {
  expect(Object.keys(probes).sort()).toEqual([...listKeys()].sort());
});

test.each(Object.entries(probes))(
  '%s reaches what it names',
  async (path, { value, gives, see, beside = {} }) => {
    const without = await see(define(beside));
    const with_ = await see(define({ ...beside, [path]: value }));

    expect(with_).toEqual(gives);
    expect(without).not.toEqual(gives);
  },
);

import { expect, test } from 'vitest';
import { listKeys } from '../list-keys.ts';
import { agentProbes } from './agent-probes.ts';
import { policyProbes } from './policy-probes.ts';
import { define } from './probe.ts';
import { supervisorProbes } from './supervisor-probes.ts';

const probes = { ...agentProbes, ...policyProbes, ...supervisorProbes };

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

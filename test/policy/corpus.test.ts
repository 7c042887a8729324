import { expect, test } from 'vitest';
import { createPolicy } from '../../src/policy/create-policy.ts';
import { corpus } from './corpus.ts';

const policy = createPolicy({ mode: 'auto', workspace: '/work/project' });

test.each(corpus.map((entry) => [entry.expected, entry.command] as const))(
  '%s: %j',
  async (expected, command) => {
    const verdict = await policy.decide({ tool: 'run_command', permission: 'start', start: { command } });

    expect(verdict).toMatchObject({ type: expected });
  },
);

test('the corpus has enough of each verdict', () => {
  const count = (type: string) => corpus.filter(({ expected }) => expected === type).length;

  expect(Math.min(count('allow'), count('ask'), count('deny'))).toBeGreaterThanOrEqual(50);
});

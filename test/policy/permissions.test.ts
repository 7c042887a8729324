import { describe, expect, test } from 'vitest';
import { createPolicy } from '../../src/policy/create-policy.ts';
import { type Permission, permissions } from '../../src/policy/permission.ts';
import type { Policy } from '../../src/policy/policy.ts';

async function verdicts(policy: Policy, tool = 'some_tool'): Promise<Record<Permission, string>> {
  const decided = permissions.map(async (permission) => [
    permission,
    (await policy.decide({ tool, permission })).type,
  ]);
  return Object.fromEntries(await Promise.all(decided));
}

const reads = { status: 'allow', output: 'allow', list: 'allow', other: 'allow' };

test.each([
  ['default', { start: 'ask', kill: 'ask', write: 'ask', keys: 'ask', ...reads }],
  ['auto', { start: 'allow', kill: 'allow', write: 'ask', keys: 'ask', ...reads }],
  ['dangerous', { start: 'allow', kill: 'allow', write: 'allow', keys: 'allow', ...reads }],
  ['plan', { start: 'deny', kill: 'deny', write: 'deny', keys: 'deny', ...reads }],
  [
    'ci',
    {
      start: 'deny',
      kill: 'deny',
      write: 'deny',
      keys: 'deny',
      status: 'deny',
      output: 'deny',
      list: 'deny',
      other: 'allow',
    },
  ],
] as const)('the mode %s says what it says', async (mode, expected) => {
  const policy = createPolicy({ mode });

  expect(await verdicts(policy)).toEqual(expected);
});

describe('what is offered', () => {
  const kill = { name: 'kill_process', permissions: ['kill'] } as const;
  const list = { name: 'list_processes', permissions: ['list'] } as const;
  const both = { name: 'process', permissions: ['start', 'list'] } as const;
  const files = { name: 'files__read_file', permissions: ['other'] } as const;

  test.each([
    ['default', [true, true, true, true]],
    ['plan', [false, true, true, true]],
    ['ci', [false, false, false, true]],
  ] as const)('in the mode %s is what could be called', (mode, expected) => {
    const policy = createPolicy({ mode });

    expect([kill, list, both, files].map((tool) => policy.offers(tool))).toEqual(expected);
  });

  test('a tool denied by name is not offered', () => {
    const policy = createPolicy({ permissions: { kill_process: 'deny' } });

    expect([policy.offers(kill), policy.offers(list)]).toEqual([false, true]);
  });

  test('a denied permission takes a part of a tool', () => {
    const policy = createPolicy({ permissions: { start: 'deny' } });

    expect([
      policy.offers(both),
      policy.allows('process', 'start'),
      policy.allows('process', 'list'),
    ]).toEqual([true, false, true]);
  });
});

describe('entries of a user', () => {
  test.each(['default', 'auto', 'dangerous'] as const)('change what the mode %s says', async (mode) => {
    const policy = createPolicy({ mode, permissions: { start: 'deny', write: 'allow', list: 'ask' } });

    expect(await verdicts(policy)).toMatchObject({ start: 'deny', write: 'allow', list: 'ask' });
  });

  test.each(['plan', 'ci'] as const)('lift no prohibition of the mode %s', async (mode) => {
    const policy = createPolicy({ mode, permissions: { start: 'allow', some_tool: 'allow', kill: 'ask' } });

    expect(await verdicts(policy)).toMatchObject({ start: 'deny', kill: 'deny' });
  });

  test('an entry for a tool beats one for a permission', async () => {
    const policy = createPolicy({ permissions: { start: 'deny', run_tests: 'allow' } });

    expect(await policy.decide({ tool: 'run_tests', permission: 'start' })).toEqual({ type: 'allow' });
    expect(await policy.decide({ tool: 'other_tool', permission: 'start' })).toMatchObject({ type: 'deny' });
  });

  test('permissions that would ask in ci are denials', async () => {
    const policy = createPolicy({ mode: 'ci', permissions: { other: 'ask' } });

    const verdict = await policy.decide({ tool: 'web__fetch', permission: 'other' });

    expect(verdict).toMatchObject({
      type: 'deny',
      reason: expect.stringContaining('In mode ci no person is asked'),
    });
  });
});

test('a denial says why and what to do', async () => {
  const policy = createPolicy({ mode: 'plan' });

  expect(await policy.decide({ tool: 'run_command', permission: 'start' })).toEqual({
    type: 'deny',
    reason: 'No tool starts a process in the mode plan.',
    hint: 'Run only commands that read, such as ls, cat, rg and git diff; describe what you would do, and let the user change the mode.',
  });
});

test('a question shows the command and its reason', async () => {
  const start = { command: 'npm test' };

  const verdict = await createPolicy().decide({ tool: 'run_command', permission: 'start', start });

  expect(verdict).toMatchObject({
    type: 'ask',
    question: 'run_command starts "npm test".',
    reason: 'The policy asks, in the mode default, before a tool starts a process.',
  });
});

test('a question names the entry that demands it', async () => {
  const policy = createPolicy({ mode: 'auto', permissions: { kill: 'ask' } });

  const verdict = await policy.decide({ tool: 'kill_process', permission: 'kill' });

  expect(verdict).toMatchObject({
    reason: 'The policy asks, by the entry "kill" of its permissions, before a tool ends a process.',
  });
});

test.each([
  ['files:*', 'files__read', true],
  ['files__*', 'files:read', true],
  ['files:*', 'process', false],
  ['*', 'agent__x', true],
])('the filter %j fits %j: %j', async (glob, tool, fits) => {
  const only = createPolicy({ tools: { allow: [glob] } });
  const without = createPolicy({ tools: { deny: [glob] } });
  const call = { tool, permission: 'other' } as const;

  expect(only.offers({ name: tool, permissions: ['other'] })).toBe(fits);
  expect(without.offers({ name: tool, permissions: ['other'] })).toBe(!fits);
  expect([(await only.decide(call)).type, (await without.decide(call)).type]).toEqual(
    fits ? ['allow', 'deny'] : ['deny', 'allow'],
  );
});

test('a filter that denies wins over one that allows', () => {
  const policy = createPolicy({ tools: { allow: ['*'], deny: ['web:*'] } });

  expect([policy.allows('web__fetch', 'other'), policy.allows('files__read', 'other')]).toEqual([
    false,
    true,
  ]);
});

import { describe, expect, test } from 'vitest';
import { ruleNames } from '../../src/config/policy-options.ts';
import { createPolicy } from '../../src/policy/create-policy.ts';
import { defaultRules } from '../../src/policy/rules/default-rules.ts';
import { decideStart, errorOf } from './arrange.ts';

/** Judges by one rule alone. */
function decideBy(name: string, command: string) {
  const others = ruleNames.filter((other) => other !== name).map((other) => [other, 'off'] as const);
  return decideStart(
    { mode: 'auto', workspace: '/work/project', rules: Object.fromEntries(others) },
    command,
  );
}

describe.each(defaultRules.map((rule) => [rule.name, rule] as const))('the rule %s', (name, rule) => {
  test.each(rule.finds.map((command) => [command] as const))('finds %j', async (command) => {
    expect(await decideBy(name, command)).toMatchObject({ type: rule.verdict, rule: name });
  });

  test.each(rule.leaves.map((command) => [command] as const))('leaves %j', async (command) => {
    expect(await decideBy(name, command)).toEqual({ type: 'allow' });
  });
});

test('each rule has examples that it finds and that it leaves', () => {
  const bare = defaultRules.filter(({ finds, leaves }) => finds.length === 0 || leaves.length === 0);

  expect(bare.map(({ name }) => name)).toEqual([]);
});

test('the description and the hint of a rule are not empty', () => {
  const empty = defaultRules.filter(({ what, hint }) => what === '' || hint === '');

  expect(empty.map(({ name }) => name)).toEqual([]);
});

test('each rule name has one rule', () => {
  expect(defaultRules.map(({ name }) => name).toSorted()).toEqual(ruleNames.toSorted());
});

test.each([
  [
    { match: ['rm <houme>'] },
    'there is no kind of target <houme>; expected one of <root>, <home>, <repository>, ',
  ],
  [{ match: ['rm /(/'] }, '/(/'],
])('a rule with the patterns %j is refused', (part, expected) => {
  const rules = { mine: { verdict: 'deny', what: 'mine', ...part } } as const;

  const error = errorOf(() => createPolicy({ rules }));

  expect(error).toMatchObject({ code: 'invalid-option' });
  expect(error.message).toContain(expected);
});

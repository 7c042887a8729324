import { expect, test } from 'vitest';
import { createPolicy } from '../../src/policy/create-policy.ts';
import { fromPolicyText, toPolicyText } from '../../src/policy/policy-text.ts';
import { decideStart, errorOf } from './arrange.ts';

const modes = ['default', 'auto', 'dangerous', 'plan', 'ci'] as const;
const order = ['allow', 'ask', 'deny'];

test.each(modes.flatMap((outer) => modes.map((inner) => [outer, inner] as const)))(
  'a child of %s in the mode %s gets the stricter verdict',
  async (outer, inner) => {
    const alone = await Promise.all([outer, inner].map((mode) => decideStart({ mode }, 'ls')));
    const strictest = order[Math.max(...alone.map(({ type }) => order.indexOf(type)))];

    const both = await decideStart(createPolicy({ mode: outer }).narrow({ mode: inner }), 'ls');

    expect(both.type).toBe(strictest);
  },
);

test('a child cannot allow what its parent denies', async () => {
  const parent = createPolicy({
    mode: 'auto',
    tools: { deny: ['web:*'] },
    commands: { deny: ['git push *'] },
  });
  const child = parent.narrow({
    mode: 'dangerous',
    permissions: { start: 'allow' },
    tools: { allow: ['*'] },
    commands: { allow: ['*'] },
    rules: { 'delete-beyond-repair': 'off' },
  });

  expect((await decideStart(child, 'git push')).type).toBe('deny');
  expect((await decideStart(child, 'rm -rf /')).type).toBe('deny');
  expect(child.offers({ name: 'web__fetch', permissions: ['other'] })).toBe(false);
  expect((await decideStart(child, 'git status')).type).toBe('allow');
});

test('a grandchild is held by all above it', async () => {
  const grandchild = createPolicy({ mode: 'dangerous', commands: { deny: ['a'] } })
    .narrow({ mode: 'dangerous', commands: { deny: ['b'] } })
    .narrow({ mode: 'dangerous', commands: { deny: ['c'] } });

  const types = await Promise.all(['a', 'b', 'c', 'd'].map((command) => decideStart(grandchild, command)));

  expect(types.map(({ type }) => type)).toEqual(['deny', 'deny', 'deny', 'allow']);
});

test('a person may think as long as the shortest says', () => {
  const child = createPolicy({ askTimeout: '10s' }).narrow({ askTimeout: '1m' });

  expect(child.settings.askTimeout).toBe(10_000);
});

test('a child works in the workspace of its parent', () => {
  const child = createPolicy({ workspace: '/work' }).narrow({});

  expect(child.settings.workspace).toBe('/work');
});

test('a policy travels as text and stays the same', async () => {
  const policy = createPolicy({ mode: 'auto', workspace: '/work', commands: { deny: ['a'] } }).narrow({
    mode: 'dangerous',
    askTimeout: '5s',
    restrictToWorkspace: true,
    commands: { deny: ['b'] },
  });

  const arrived = fromPolicyText(toPolicyText(policy));

  expect(arrived.layers).toEqual(policy.layers);
  expect(arrived.settings).toEqual(policy.settings);
  expect((await decideStart(arrived, 'b')).type).toBe('deny');
  expect((await decideStart(arrived.narrow({ mode: 'plan' }), 'npm test')).type).toBe('deny');
});

test.each([
  ['', 'The text of a policy cannot be read: Unexpected end of JSON input.'],
  ['{"mode":"auto"}', 'The text of a policy cannot be read: it is not a list.'],
  ['[]', 'The text of a policy cannot be read: the list is empty.'],
  ['[null]', 'policy: the options are null; expected an object.'],
  ['[{"mode":"auto"},{"mood":"x"}]', 'there is no option "mood" (given: "x"). Did you mean "mode"?'],
])('%j is no policy', (text, expected) => {
  const error = errorOf(() => fromPolicyText(text));

  expect(error).toMatchObject({ code: 'invalid-option' });
  expect(error.message).toContain(expected);
});

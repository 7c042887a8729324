import { expect, test } from 'vitest';
import { parseGroup } from '../../src/groups/group-options.ts';

test('a member is a labelled service in the background', () => {
  const { members, strategy } = parseGroup({
    processes: {
      web: { command: 'serve' },
      tool: { command: 'x', kind: 'tool', label: 'mine', dependsOn: ['web'] },
    },
  });

  expect(strategy).toBe('oneForOne');
  expect(members.get('web')?.spec).toEqual({
    kind: 'service',
    background: true,
    maxBackgroundTime: 0,
    restart: { policy: 'transient' },
    label: 'web',
    command: 'serve',
  });
  expect(members.get('tool')).toMatchObject({
    spec: { kind: 'tool', label: 'mine' },
    dependsOn: new Map([['web', 'ready']]),
  });
  expect(members.get('tool')?.spec).not.toHaveProperty('dependsOn');
});

test('a one-shot is not restarted unless it says so', () => {
  const { members } = parseGroup({
    processes: {
      migrate: { command: 'x' },
      load: { command: 'x', restart: { policy: 'transient' } },
      seed: { command: 'x', oneShot: true },
      web: { command: 'x', dependsOn: { migrate: 'completed', load: 'completed' } },
    },
  });

  expect([...members].map(([name, { policy, isOneShot }]) => [name, policy, isOneShot])).toEqual([
    ['migrate', 'temporary', true],
    ['load', 'transient', true],
    ['seed', 'temporary', true],
    ['web', 'transient', false],
  ]);
});

test.each([
  [
    { processes: { a: { command: 'x' }, b: { command: 'x', dependsOn: { a: 'done' } } } },
    'a list of names, or an object of names with "ready" or "completed"',
  ],
  [{ processes: {} }, '"processes" is empty'],
  [
    { strategy: 'oneForEach', processes: { a: { command: 'x' } } },
    '"strategy" is "oneForEach"; expected one of "oneForOne"',
  ],
  [{ processes: { web: { comand: 'x' } } }, 'startGroup: processes.web: there is no option "comand"'],
  [{ processes: { web: { command: 'x', dependOn: ['a'] } } }, 'Did you mean "dependsOn"?'],
  [{ processes: { web: { run: async () => {}, cwd: '/' } } }, 'processes.web: there is no option "cwd"'],
])('a mistake in %j is named', (options, words) => {
  const parse = () => parseGroup(options as never);

  expect(parse).toThrow(words);
});

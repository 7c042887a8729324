import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findStackFile, loadStack, toStackOwner } from '../../../src/cli/verbs/up/find-stack.ts';
import type { Stack } from '../../../src/cli/verbs/up/stack-file.ts';
import {
  findStackProcesses,
  isStopped,
  parseStackArguments,
  selectMembers,
  stopMember,
} from '../../../src/cli/verbs/up/stack-processes.ts';
import { tempDir } from '../../support/os.ts';
import { runningView } from '../../support/views.ts';

test.each([
  [[], undefined, []],
  [['web'], undefined, ['web']],
  [['troupe.yaml', 'web'], 'troupe.yaml', ['web']],
  [['A.YML'], 'A.YML', []],
  [['dir/stack', 'web'], 'dir/stack', ['web']],
  [['dir\\stack'], 'dir\\stack', []],
  [['web', 'a.yaml'], undefined, ['web', 'a.yaml']],
  [['web.yaml.old'], undefined, ['web.yaml.old']],
])('the arguments %j name the file %s and the processes %j', (words, file, names) => {
  expect(parseStackArguments(words)).toEqual({ file, names });
});

const stack = {
  strategy: 'oneForOne',
  processes: {
    web: { command: 'a', dependsOn: ['api'] },
    tests: { command: 'b' },
    api: { command: 'c', dependsOn: { db: 'ready' } },
    db: { command: 'd' },
  },
} as unknown as Stack;

test.each([
  [[], ['web', 'tests', 'api', 'db']],
  [['tests'], ['tests']],
  [['web'], ['web', 'api', 'db']],
  [
    ['db', 'tests'],
    ['tests', 'db'],
  ],
])('the names %j select %j', (names, selected) => {
  expect(selectMembers(names, stack)).toEqual(selected);
});

test.each([
  ['wbe', 'There is no process "wbe" in the file. Did you mean web?'],
  ['something', 'There is no process "something" in the file. It has web, tests, api, db.'],
])('the unknown name %s is refused', (name, message) => {
  expect(() => selectMembers(['web', name], stack)).toThrow(
    expect.objectContaining({ code: 'invalid-option', message }),
  );
});

test('the processes of a file are those of its owner, in the order of their start', async () => {
  const seen = (id: string, createdAt: number, owner = 'up:/a/troupe.yaml') => ({
    view: runningView({ id, createdAt, owner }),
  });
  const state = {
    list: async () => ({
      processes: [seen('tool_b', 2), seen('tool_x', 1, 'up:/b/troupe.yaml'), seen('tool_a', 1)],
      warnings: ['w'],
    }),
  };

  const found = await findStackProcesses('/a/troupe.yaml', state as never);

  expect(toStackOwner('/a/troupe.yaml')).toBe('up:/a/troupe.yaml');
  expect(found.seen.map(({ view }) => view.id)).toEqual(['tool_a', 'tool_b']);
  expect(found.warnings).toEqual(['w']);
});

test.each([
  [{ stopSignal: 'SIGINT' }, { by: 'user', signal: 'SIGINT' }],
  [{}, { by: 'user' }],
  [{ stopSignal: 2 }, { by: 'user' }],
])('a member with the metadata %j is killed with %j', async (metadata, options) => {
  const kills: unknown[] = [];
  const state = { kill: async (...args: unknown[]) => void kills.push(args) };

  await stopMember(runningView({ id: 'tool_a', metadata }), state as never);

  expect(kills).toEqual([['tool_a', options]]);
});

test('a member is stopped once nothing of it is left', () => {
  const killed = (survivors: readonly object[]) => ({ type: 'killed', receipt: { survivors } }) as never;

  expect([isStopped({ type: 'ended' } as never), isStopped(killed([])), isStopped(killed([{}]))]).toEqual([
    true,
    true,
    false,
  ]);
});

test('the nearest stack file upwards is found', () => {
  using place = tempDir();
  const cwd = place.file('a/b');
  mkdirSync(cwd, { recursive: true });
  const find = () => findStackFile(undefined, { cwd });
  expect(find).toThrow(
    `there is no troupe.yaml or troupe.yml in "${cwd}" or above it. Create one, or name another file.`,
  );

  writeFileSync(place.file('a/troupe.yml'), '');
  const found = [find()];
  writeFileSync(place.file('a/troupe.yaml'), '');
  found.push(find());
  writeFileSync(place.file('a/b/troupe.yml'), '');
  found.push(find());

  expect(found).toEqual(['a/troupe.yml', 'a/troupe.yaml', 'a/b/troupe.yml'].map((path) => place.file(path)));
  expect(findStackFile('../c.yaml', { cwd })).toBe(place.file('a/c.yaml'));
});

test('variables come from .env beside the file, and the environment overrides them', async () => {
  using place = tempDir();
  mkdirSync(place.file('a'));
  writeFileSync(place.file('a/.env'), 'ONE=1\nTWO=2\nTHREE=3\n');
  const text = `env:\n  A: \${ONE}\n  B: \${TWO}\n  C: \${THREE}\nprocesses:\n  web: serve\n`;
  writeFileSync(place.file('a/troupe.yaml'), text);

  const { processes } = await loadStack(place.file('a/troupe.yaml'), {
    cwd: place.path,
    env: { TWO: '22', THREE: undefined },
  });

  expect(processes['web']).toMatchObject({ env: { A: '1', B: '22', C: '3' } });
});

test('a directory of the name .env has no variables', async () => {
  using place = tempDir();
  mkdirSync(place.file('.env'));
  writeFileSync(place.file('troupe.yaml'), 'processes:\n  web: serve\n');

  const loaded = await loadStack(place.file('troupe.yaml'), { cwd: place.path, env: {} });

  expect(Object.keys(loaded.processes)).toEqual(['web']);
});

test.each([
  ['none.yaml', '"none.yaml" cannot be read: there is no such file.'],
  ['dir', '"dir" cannot be read: a directory stands in its place.'],
  ['file/x.yaml', '"file/x.yaml" cannot be read: a part of the path is a file.'],
])('a file %s that cannot be read is named', async (file, message) => {
  using place = tempDir();
  mkdirSync(place.file('dir'));
  writeFileSync(place.file('file'), '');

  const loading = loadStack(place.file(file), { cwd: place.path, env: {} });

  await expect(loading).rejects.toMatchObject({ code: 'invalid-option', message });
});

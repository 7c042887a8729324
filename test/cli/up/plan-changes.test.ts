import { expect, test } from 'vitest';
import { planChanges, type StackChanges } from '../../../src/cli/verbs/up/plan-changes.ts';
import type { Stack } from '../../../src/cli/verbs/up/stack-file.ts';
import { parseStackArguments, selectMembers } from '../../../src/cli/verbs/up/stack-processes.ts';
import type { SeenProcess } from '../../../src/state-directory/state-directory.ts';
import { endedView, processView } from '../process-views.ts';

const processes: Stack['processes'] = {
  db: { command: 'serve db', ready: { line: /up/ } },
  migrate: { command: 'migrate', dependsOn: ['db'] },
  web: { command: 'serve web', dependsOn: { db: 'ready', migrate: 'completed' } },
  mail: { command: 'serve mail' },
};

const plan = (seen: readonly SeenProcess[], own: Stack['processes'] = processes): StackChanges =>
  planChanges({ strategy: 'oneForOne', processes: own }, { names: Object.keys(own), seen });

/** As `up` would have started it from a file, and how it is now. */
function started(label: string, { from = processes, hasCompleted = false } = {}): SeenProcess {
  const metadata = plan([], from).start[label]?.metadata ?? {};
  const view = hasCompleted
    ? { ...endedView({ id: `id_${label}`, label }), status: 'completed' as const, metadata }
    : { ...processView({ id: `id_${label}`, label }), metadata };
  return { view: view as SeenProcess['view'], supervisorId: 'sup_1', answered: true };
}

const summaryOf = ({ start, changed, unchanged, removed }: StackChanges) => ({
  start: Object.keys(start),
  changed: changed.map(({ label }) => label),
  unchanged: unchanged.map(({ label }) => label),
  removed: removed.map(({ label }) => label),
});

test('up starts every process when none runs', () => {
  const changes = plan([started('migrate', { hasCompleted: true })]);

  expect(summaryOf(changes)).toEqual({
    start: ['db', 'migrate', 'web', 'mail'],
    changed: [],
    unchanged: [],
    removed: [],
  });
  expect(changes.start['web']?.dependsOn).toEqual({ db: 'ready', migrate: 'completed' });
});

test('up leaves processes that match the file alone', () => {
  const seen = ['db', 'web'].map((name) => started(name));

  const changes = plan([...seen, started('migrate', { hasCompleted: true })]);

  expect(summaryOf(changes)).toMatchObject({ start: ['mail'], unchanged: ['db', 'migrate', 'web'] });
});

test('up restarts processes that changed in the file', () => {
  const from = { ...processes, web: { command: 'serve web', env: { PORT: '1' } } };
  const old = { ...processes, cron: { command: 'cron' } };

  const changes = plan([started('db'), started('web', { from }), started('cron', { from: old })]);

  expect(summaryOf(changes)).toEqual({
    start: ['migrate', 'web', 'mail'],
    changed: ['web'],
    unchanged: ['db'],
    removed: ['cron'],
  });
  // The database is up: nothing is to wait for it in the new group.
  expect(changes.start['migrate']).toMatchObject({ dependsOn: {}, oneShot: true });
});

test('changed dependencies restart no process', () => {
  const from = { ...processes, web: { command: 'serve web' } };

  expect(plan([started('db'), started('web', { from })]).changed).toEqual([]);
});

test.each([
  [[], ['db', 'migrate', 'web', 'mail']],
  [['web'], ['db', 'migrate', 'web']],
  [
    ['mail', 'db'],
    ['db', 'mail'],
  ],
])('up %j starts %j', (names, expected) => {
  expect(selectMembers(names, { strategy: 'oneForOne', processes })).toEqual(expected);
});

test('up refuses an unknown name with a suggestion', () => {
  const choose = () => selectMembers(['webb'], { strategy: 'oneForOne', processes });

  expect(choose).toThrow('There is no process "webb" in the file. Did you mean web?');
});

test.each([
  [[], undefined, []],
  [['web', 'db'], undefined, ['web', 'db']],
  [['dev.yaml', 'web'], 'dev.yaml', ['web']],
  [['./stack'], './stack', []],
])('the arguments %j name file %s and processes %j', (words, file, names) => {
  expect(parseStackArguments(words)).toEqual({ file, names });
});

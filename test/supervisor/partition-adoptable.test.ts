import { expect, test } from 'vitest';
import type { ProcessRecord } from '../../src/process/process-record.ts';
import { partitionAdoptable } from '../../src/supervisor/partition-adoptable.ts';
import type { SupervisorDeps } from '../../src/supervisor/supervisor-deps.ts';
import { endedView, runningView } from '../support/views.ts';

const scope = { bootId: 'boot', pidNamespace: 'pid:[1]' };
const noTmux = { why: 'tmux is not installed', remedy: 'Install tmux' };

/** Deps without tmux, and with a backend that adopts nothing unless a test gives one. */
const depsWith = (more: object = {}) =>
  ({
    ...{ scope, settings: { backend: undefined }, durableBackend: null },
    terminals: { tmux: () => noTmux },
    ...more,
  }) as unknown as SupervisorDeps;

function record(id: string, more: object = {}): ProcessRecord {
  const view = runningView({ id, mode: 'tmux' });
  return { scope, view, revival: { size: { columns: 80, rows: 24 } }, ...more } as unknown as ProcessRecord;
}

const ids = (records: readonly ProcessRecord[]) => records.map(({ view }) => view.id);
const partition = (records: readonly ProcessRecord[], deps = depsWith()) => {
  const { adoptable, problems } = partitionAdoptable(records, deps);
  return { adoptable: ids(adoptable), problems };
};

test('a process without its backend is left alone', () => {
  expect(partition([record('tool_a')])).toEqual({
    adoptable: [],
    problems: [
      'Process tool_a was left as it is: it was started in tmux, and tmux is not installed. Install tmux: the next supervisor then adopts it. "troupe kill tool_a" ends it.',
    ],
  });
});

test('several processes are named in one sentence, three at most', () => {
  const all = ['tool_a', 'tool_b', 'tool_c', 'tool_d'].map((id) => record(id));
  const words = (named: string, count: number, kill: string) =>
    `${count} processes were left as they are: ${named}. They were started in tmux, and tmux is not installed. Install tmux: the next supervisor then adopts them. "troupe kill ${kill}" ends them.`;

  expect(partition(all.slice(0, 3)).problems).toEqual([
    words('tool_a, tool_b, tool_c', 3, 'tool_a tool_b tool_c'),
  ]);
  expect(partition(all).problems).toEqual([
    words('tool_a, tool_b, tool_c and 1 more', 4, 'tool_a tool_b tool_c tool_d'),
  ]);
});

test('each missing backend has a sentence of its own', () => {
  const { problems } = partition([
    record('tool_a'),
    record('tool_b', { view: runningView({ id: 'tool_b', mode: 'file' }), revival: { size: null } }),
  ]);

  expect(problems).toEqual([
    expect.stringMatching(/^Process tool_a was left as it is: it was started in tmux/),
    'Process tool_b was left as it is: it was started by the backend "file", and the backend of the option "backend" adopts no processes. Leave that option out: the next supervisor then adopts it. "troupe kill tool_b" ends it.',
  ]);
});

test.each([
  ['that has ended', record('tool_a', { view: endedView({ id: 'tool_a' }) })],
  ['that is not to be adopted', record('tool_a', { revival: null })],
  ['of another boot', record('tool_a', { scope: { ...scope, bootId: 'before' } })],
])('a process %s needs no backend', (_, given) => {
  expect(partition([given])).toEqual({ adoptable: ['tool_a'], problems: [] });
});

test('a process whose backend is here is adoptable', () => {
  const tmux = { mode: 'tmux' };
  const file = { mode: 'file' };
  const withBoth = depsWith({ durableBackend: file, terminals: { tmux: () => tmux } });
  const records = [record('tool_a'), record('tool_b', { revival: { size: null } })];

  expect(partition(records, withBoth)).toEqual({ adoptable: ['tool_a', 'tool_b'], problems: [] });
});

test('a supervisor with its own backend names that instead of tmux', () => {
  const { problems } = partition([record('tool_a')], depsWith({ settings: { backend: {} } }));

  expect(problems[0]).toContain(
    'it was started in tmux, and the backend of the option "backend" adopts no processes. Leave that option out',
  );
});

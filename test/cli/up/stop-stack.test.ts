import { expect, test } from 'vitest';
import { runDown } from '../../../src/cli/verbs/down.ts';
import { toStackOwner } from '../../../src/cli/verbs/up/find-stack.ts';
import type { KillAnswer } from '../../../src/process/process-handle.ts';
import { endedView, runningView } from '../../support/views.ts';
import { fakeIo } from '../fake-io.ts';
import { type FakeProcess, fakeStateDirectory } from '../fake-state-directory.ts';

const child = { pid: 99, pgid: 99, startedAt: '1', command: 'sleep 600' };
const receipt = {
  signalled: 'SIGTERM',
  escalated: false,
  survivors: [],
  leftoversEnded: [],
  durationMs: 5,
} as const;
const owner = toStackOwner('/project/stack.yaml');
const answer = (id: string): KillAnswer => ({
  ...{ type: 'killed', receipt, message: `Process ${id} is gone.` },
});
const member = (id: string, createdAt: number, own: object = {}): FakeProcess => ({
  view: runningView({ ...{ id, label: id.replace('tool_', ''), owner, createdAt }, ...own }),
  answer: answer(id),
});
const members = [
  member('tool_db', 1),
  member('tool_web', 3, { metadata: { stopSignal: 'SIGINT' } }),
  member('tool_api', 2),
  member('tool_other', 4, { owner: 'user' }),
];

function down(
  words: readonly string[],
  { flags = {}, processes = members as readonly FakeProcess[], warnings = [] as readonly string[] } = {},
) {
  const fake = fakeIo();
  const { open, orders } = fakeStateDirectory(processes, { warnings });
  const code = runDown({ words: ['stack.yaml', ...words], flags, io: fake.io, open });
  return { ...fake, orders, code };
}

test('down stops the processes of a file, the last one first', async () => {
  const { code, orders, stdout, stderr } = down([]);

  expect(await code).toBe(0);
  expect(orders).toEqual([
    { kill: 'tool_web', by: 'user', signal: 'SIGINT' },
    { kill: 'tool_api', by: 'user' },
    { kill: 'tool_db', by: 'user' },
    'close',
  ]);
  expect(stdout()).toBe(
    '✓ web: Process tool_web is gone.\n✓ api: Process tool_api is gone.\n✓ db: Process tool_db is gone.\n',
  );
  expect(stderr()).toBe('');
});

test('down stops only the named processes', async () => {
  const { code, orders } = down(['api', 'db', 'none']);

  expect(await code).toBe(0);
  expect(orders).toEqual([{ kill: 'tool_api', by: 'user' }, { kill: 'tool_db', by: 'user' }, 'close']);
});

test('down stops leftovers of ended processes, and a process without a label by its id', async () => {
  const ended = { owner, createdAt: 1, label: null };
  const processes = [
    { view: endedView({ ...ended, id: 'tool_left', leftovers: [child] }), answer: answer('tool_left') },
    { view: endedView({ ...ended, id: 'tool_over' }) },
  ];
  const { code, orders, stdout } = down([], { processes });

  expect(await code).toBe(0);
  expect(orders).toEqual([{ kill: 'tool_left', by: 'user' }, 'close']);
  expect(stdout()).toBe('✓ tool_left: Process tool_left is gone.\n');
});

test('down fails with an error for each process that survives', async () => {
  const survived: KillAnswer = {
    ...{ type: 'survived', receipt: { ...receipt, survivors: [child] } },
    message: 'Process tool_db is not gone.',
  };
  const processes = [{ ...member('tool_db', 1), answer: survived }, member('tool_web', 2)];
  const { code, stdout, stderr } = down([], { processes, warnings: ['a record was skipped'] });

  expect(await code).toBe(1);
  expect(stdout()).toBe('✓ web: Process tool_web is gone.\n');
  expect(stderr()).toBe('troupe: a record was skipped\ntroupe: db: Process tool_db is not gone.\n');
});

test('down prints one JSON array with what happened', async () => {
  const { code, stdout } = down(['web'], { flags: { json: true } });

  expect(await code).toBe(0);
  expect(JSON.parse(stdout())).toEqual([{ name: 'web', id: 'tool_web', answer: answer('tool_web') }]);
});

test.each([
  [[], {}, 'troupe: nothing of stack.yaml, which does not exist, is running\n'],
  [['a', 'b'], {}, 'troupe: nothing of stack.yaml, which does not exist, a b is running\n'],
  [[], { quiet: true }, ''],
  [[], { json: true }, ''],
])('down %j with %j reports that nothing runs: %j', async (words, flags, said) => {
  const { code, stdout, stderr } = down(words, { flags, processes: [] });

  expect(await code).toBe(0);
  expect(stderr()).toBe(said);
  expect(stdout()).toBe('json' in flags ? '[]\n' : '');
});

test('down --quiet prints only errors', async () => {
  const { code, orders, stdout, stderr } = down([], { flags: { quiet: true } });

  expect(await code).toBe(0);
  expect(orders).toHaveLength(4);
  expect([stdout(), stderr()]).toEqual(['', '']);
});

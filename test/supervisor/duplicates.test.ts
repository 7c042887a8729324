import { expect, test } from 'vitest';
import type { ProcessRecord } from '../../src/process/process-record.ts';
import { createMemoryRecordStore } from '../../src/store/memory-record-store.ts';
import { createVirtualHarness, turn } from '../support/virtual.ts';

const serve = { command: 'serve --port 1', background: true } as const;

test('duplicates are allowed unless it is said', async () => {
  await using rig = createVirtualHarness();

  rig.supervisor.start(serve);
  rig.supervisor.start(serve);

  expect(rig.backend.runs).toHaveLength(2);
});

test('a refused duplicate names the one that runs', async () => {
  await using rig = createVirtualHarness();
  const { id } = rig.supervisor.start(serve);

  const again = () => rig.supervisor.start({ ...serve, onDuplicate: 'refuse' });

  expect(again).toThrow(expect.objectContaining({ code: 'duplicate', message: expect.stringContaining(id) }));
  expect(rig.backend.runs).toHaveLength(1);
  expect(rig.count('process.created')).toBe(1);
});

test('a joined duplicate is the one that runs', async () => {
  await using rig = createVirtualHarness();
  const first = rig.supervisor.start(serve);

  const second = rig.supervisor.start({ ...serve, onDuplicate: 'join' });

  expect(second).toBe(first);
  expect(rig.backend.runs).toHaveLength(1);
});

test('force starts a duplicate', async () => {
  await using rig = createVirtualHarness();
  const first = rig.supervisor.start(serve);

  const second = rig.supervisor.start({ ...serve, onDuplicate: 'refuse', force: true });

  expect(second.id).not.toBe(first.id);
});

test.each([
  ['another directory', { ...serve, cwd: '/' }],
  ['another command', { ...serve, command: 'serve --port 2' }],
  ['an array of the same words', { ...serve, command: ['serve', '--port', '1'] as [string, ...string[]] }],
])('%s is no duplicate', async (_, spec) => {
  await using rig = createVirtualHarness({ cwd: '/tmp' });
  rig.supervisor.start(serve);

  rig.supervisor.start({ ...spec, onDuplicate: 'refuse' });

  expect(rig.backend.runs).toHaveLength(2);
});

test('a foreground process is no duplicate', async () => {
  await using rig = createVirtualHarness();
  const foreground = rig.supervisor.start({ command: serve.command });

  rig.supervisor.start({ ...serve, onDuplicate: 'refuse' });

  expect(foreground.status).toBe('running');
  expect(rig.backend.runs).toHaveLength(2);
});

test('a process moved to the background is a duplicate', async () => {
  await using rig = createVirtualHarness();
  const promoted = rig.supervisor.start({ command: serve.command });
  promoted.background();

  expect(rig.supervisor.start({ ...serve, onDuplicate: 'join' })).toBe(promoted);
});

test('a joined command that has ended is not run again', async () => {
  await using rig = createVirtualHarness({ retention: '30m' });
  const first = rig.supervisor.start(serve);
  rig.run(0).exit({ code: 3 });
  await turn();

  const second = rig.supervisor.start({ ...serve, onDuplicate: 'join' });
  const forced = rig.supervisor.start({ ...serve, onDuplicate: 'join', force: true });

  expect(second).toBe(first);
  expect((await second.ended).exit?.code).toBe(3);
  expect(rig.backend.runs).toHaveLength(2);
  expect(forced.status).toBe('backgrounded');
});

test('a joined command is not run again by the next supervisor', async () => {
  const records = createMemoryRecordStore<ProcessRecord>();
  const first = createVirtualHarness({ records });
  const { id } = first.supervisor.start(serve);
  first.run(0).exit();
  await first[Symbol.asyncDispose]();

  await using next = createVirtualHarness({ records, clock: first.clock });
  const joined = next.supervisor.start({ ...serve, onDuplicate: 'join' });

  expect(joined.id).toBe(id);
  expect(joined.status).toBe('completed');
  expect(next.backend.runs).toHaveLength(0);
});

test('an ended process is no duplicate', async () => {
  await using rig = createVirtualHarness();
  const first = rig.supervisor.start(serve);
  rig.run(0).exit();
  await turn();

  const second = rig.supervisor.start({ ...serve, onDuplicate: 'refuse' });

  expect(first.status).toBe('completed');
  expect(second.status).toBe('backgrounded');
});

test('another owner has no duplicate here', async () => {
  await using rig = createVirtualHarness();
  const spec = { command: 'serve', background: true, onDuplicate: 'join' } as const;

  const mine = rig.supervisor.start({ ...spec, owner: 'me' });
  const yours = rig.supervisor.start({ ...spec, owner: 'you' });

  expect(yours.id).not.toBe(mine.id);
});

test('commands that differ in a secret are no duplicates', async () => {
  await using rig = createVirtualHarness();
  const spec = { background: true, onDuplicate: 'join' } as const;

  const one = rig.supervisor.start({ ...spec, command: ['sleep', '31'], secrets: { T: '31' } });
  const other = rig.supervisor.start({ ...spec, command: ['sleep', '32'], secrets: { T: '32' } });

  expect(other.id).not.toBe(one.id);
});

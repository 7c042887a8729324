import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Script } from '../../src/testing/index.ts';
import { openDirectoryHarness } from '../support/directory.ts';
import { openRealHarness } from '../support/real.ts';
import { createVirtualHarness } from '../support/virtual.ts';

const exitAtOnce: Script = (run) => {
  run.comeUp();
  run.exit();
};

const build = { id: 'build-7', command: ['make'] } as const;
const serve = { ...build, lifetime: 'persistent', background: true } as const;

test('a start with an id has that id', async () => {
  await using rig = createVirtualHarness();

  const handle = rig.supervisor.start(build);

  expect(handle.id).toBe('build-7');
  expect(rig.supervisor.get('build-7')).toBe(handle);
});

test('a second start of an id is the same process, live or ended', async () => {
  await using rig = createVirtualHarness();
  const first = rig.supervisor.start(build);
  const second = rig.supervisor.start(build);
  rig.run(0).print('made');
  rig.run(0).exit({ code: 2 });
  await first.ended;

  const result = await rig.supervisor.execute(build);

  expect(second).toBe(first);
  expect(result).toMatchObject({ type: 'failed', exitCode: 2, stdout: 'made', process: { id: 'build-7' } });
  expect(rig.backend.runs).toHaveLength(1);
});

test('an ended process is returned from its record after a restart of the program', async () => {
  const { open, crash } = openDirectoryHarness();
  const first = open();
  const handle = first.supervisor.start(build);
  first.backend.lastRun.exit({ code: 3 });
  await handle.ended;
  first.clock.advance(100);
  crash(first.supervisor);

  const second = open({ recover: false });
  const result = await second.supervisor.execute(build);

  expect(result).toMatchObject({ type: 'failed', exitCode: 3, process: { id: 'build-7', status: 'failed' } });
  expect(second.backend.runs).toHaveLength(0);
});

test.each([true, false])(
  'a live persistent process is adopted by the next start (recover: %s)',
  async (recover) => {
    const { open, crash } = openDirectoryHarness();
    const first = open();
    first.supervisor.start(serve);
    first.clock.advance(100);
    crash(first.supervisor);

    const second = open({ recover });
    const handle = second.supervisor.start(serve);

    expect(handle.status).toBe('backgrounded');
    expect(second.backend.runs.map(({ isAdopted }) => isAdopted)).toEqual([true]);
    second.backend.lastRun.exit();
    expect(await handle.ended).toMatchObject({ id: 'build-7', status: 'completed' });
  },
);

test('a process whose program died with it is lost, and its command does not run again', async () => {
  const { open, crash, records } = openDirectoryHarness();
  const first = open();
  first.supervisor.start(build);
  // Nothing is written later: the record was there before the command ran.
  expect(records.read('build-7')?.view.status).toBe('pending');
  crash(first.supervisor);

  const second = open();

  expect(await second.supervisor.execute(build)).toMatchObject({ type: 'lost' });
  expect(second.backend.runs).toHaveLength(0);
});

test('the record exists before the command is spawned', () => {
  const { open, records } = openDirectoryHarness();
  const seen: unknown[] = [];
  const { supervisor } = open({ script: (run) => void seen.push(records.read(run.request.id)?.view.id) });

  supervisor.start(build);

  expect(seen).toEqual(['build-7']);
});

test('two supervisors of one directory start an id once', async () => {
  const { open } = openDirectoryHarness();
  const [one, other] = [open(), open()];
  one.supervisor.start(build);

  const start = () => other.supervisor.start(build);

  expect(start).toThrow(
    /the id "build-7" is taken: the process runs under the supervisor sup_\w+ of another program: make/,
  );
  expect(other.backend.runs).toHaveLength(0);
  one.backend.lastRun.exit();
  await one.supervisor.get('build-7')?.ended;
  one.clock.advance(100);
  expect(await other.supervisor.execute(build)).toMatchObject({ type: 'completed' });
  expect(other.backend.runs).toHaveLength(0);
});

test.each([
  [
    'another command',
    { command: ['make', 'all'] },
    /started with another command: make in .*, not make all in/,
  ],
  ['another directory', { cwd: '/' }, /make in .*, not make in \/\./],
  ['other input', { input: 'x' }, /with other input/],
])('an id with %s is refused, live and from the record', async (_, change, message) => {
  const { open, crash } = openDirectoryHarness();
  const first = open();
  const { command } = build;
  first.supervisor.start({ id: 'build-7', command: [...command] });
  const again = { id: 'build-7', command: [...command], ...(change as object) };

  expect(() => first.supervisor.start(again)).toThrow(message);
  first.backend.lastRun.exit();
  await first.supervisor.get('build-7')?.ended;
  first.clock.advance(100);
  crash(first.supervisor);
  const second = open({ recover: false });
  expect(() => second.supervisor.start(again)).toThrow(expect.objectContaining({ code: 'duplicate' }));
  expect(second.backend.runs).toHaveLength(0);
});

test('a refused start does not use its id', async () => {
  const { open, records } = openDirectoryHarness();
  const { supervisor, backend } = open({ maxBackgroundProcesses: 1 });
  const server = supervisor.start({ command: ['server'], background: true });
  const start = () => supervisor.start({ ...build, background: true });

  expect(start).toThrow(expect.objectContaining({ code: 'background-limit' }));
  expect(records.read('build-7')).toBeNull();
  backend.lastRun.exit();
  await server.ended;

  expect(start().id).toBe('build-7');
});

test('a start whose record cannot be written starts nothing and does not use its id', () => {
  const { open, records } = openDirectoryHarness();
  let isFull = true;
  const { supervisor, backend } = open({
    records: {
      ...records,
      save: (id, record) => {
        if (isFull) throw new Error('no space left');
        records.save(id, record);
      },
    },
  });

  expect(() => supervisor.start(build)).toThrow(/cannot be written .* no space left/);
  expect(backend.runs).toHaveLength(0);
  isFull = false;
  expect(supervisor.start(build).status).toBe('running');
});

test('an id with a damaged record is refused', () => {
  const { file, open } = openDirectoryHarness({ recordsIn: 'files' });
  const { supervisor, backend } = open({ recover: false });
  supervisor.start({ id: 'other', command: ['make'] });
  writeFileSync(file('processes/build-7.json'), '{"version":1,"vie');

  expect(() => supervisor.start(build)).toThrow(
    /record that cannot be used: it is not JSON.*Whether its command ran is unknown/,
  );
  expect(backend.runs).toHaveLength(1);
});

test('an end stays with its id when more than maxFinished ended later', async () => {
  const { open } = openDirectoryHarness();
  const { supervisor, backend } = open({ maxFinished: 1, script: exitAtOnce });
  await supervisor.execute(build);
  for (const id of ['a', 'b', 'c']) await supervisor.execute({ id, command: ['true'] });

  expect(supervisor.get('build-7')).toBeUndefined();
  expect(await supervisor.execute(build)).toMatchObject({ type: 'completed', process: { id: 'build-7' } });
  expect(backend.runs).toHaveLength(4);
});

test('without records an id whose end was dropped is refused', async () => {
  await using rig = createVirtualHarness({ maxFinished: 1, script: exitAtOnce });
  await rig.supervisor.execute(build);
  for (const id of ['a', 'b']) await rig.supervisor.execute({ id, command: ['true'] });

  const result = await rig.supervisor.execute(build);

  expect(result).toMatchObject({
    type: 'refused',
    message: expect.stringContaining('its end is no longer kept'),
  });
  expect(rig.backend.runs).toHaveLength(3);
});

test('an id lasts for logRetention, and a sweep of all frees it', async () => {
  const { open, records } = openDirectoryHarness();
  const { supervisor, backend, clock } = open({
    retention: '1m',
    logRetention: '1h',
    script: exitAtOnce,
  });
  await supervisor.execute(build);
  clock.advance(50 * 60_000);
  await supervisor.execute(build);
  expect(backend.runs).toHaveLength(1);

  clock.advance(20 * 60_000);
  expect(records.read('build-7')).toBeNull();
  await supervisor.execute(build);
  expect(backend.runs).toHaveLength(2);
  await supervisor.sweep({ all: true });
  await supervisor.execute(build);
  expect(backend.runs).toHaveLength(3);
});

test.each(['', '../x', 'a b', 'a.b', '-x', '_x', 'ä', 'x'.repeat(65), 'tool_mine', 'sup_a'])(
  'the id %j is refused with what is allowed',
  async (id) => {
    await using rig = createVirtualHarness();

    expect(() => rig.supervisor.start({ id, command: ['make'] })).toThrow(
      /"id" is .*; expected (1 to 64 letters, digits|an id of your own)/,
    );
  },
);

test('an id and onDuplicate exclude each other', async () => {
  await using rig = createVirtualHarness();

  expect(() => rig.supervisor.start({ ...build, onDuplicate: 'join' })).toThrow(/give one of them/);
});

test('an abort reaches a process that was started before', async () => {
  await using rig = createVirtualHarness();
  const first = rig.supervisor.start(build);
  const abort = new AbortController();
  rig.supervisor.start({ ...build, signal: abort.signal });

  abort.abort();

  expect(await first.ended).toMatchObject({ status: 'killed' });
});

test('a kill leaves a process of the same id in another directory alone', async () => {
  await using here = openRealHarness({ control: false });
  await using there = openRealHarness({ control: false });
  const command = 'setsid sleep 600 & echo up; exec sleep 600';
  const [mine, foreign] = [here, there].map(({ supervisor }) =>
    supervisor.start({ id: 'web', command, background: true }),
  );
  await Promise.all([mine?.waitFor({ text: 'up' }), foreign?.waitFor({ text: 'up' })]);

  const answer = await mine?.kill();

  expect(answer).toMatchObject({ type: 'killed' });
  expect(await mine?.members()).toEqual([]);
  expect(await foreign?.members()).toHaveLength(2);
});

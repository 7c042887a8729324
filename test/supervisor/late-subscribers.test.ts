import { lastValueFrom, toArray } from 'rxjs';
import { expect, test } from 'vitest';
import { createVirtualHarness, turn } from '../support/virtual.ts';

/** A process that printed two lines and ended before anybody looked. */
async function createEnded() {
  const rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x' });
  rig.run(0).print('one\ntw');
  rig.run(0).print('o\n');
  rig.run(0).exit({ code: 3 });
  await turn();
  return { rig, handle };
}

test('late subscribers get state, output and end', async () => {
  const { rig, handle } = await createEnded();
  await using _ = rig;

  expect(handle.view()).toMatchObject({ status: 'failed', exit: { code: 3, signal: null } });
  expect(handle.read()).toMatchObject({ text: 'one\ntwo\n', ended: true });
  expect(await handle.ended).toMatchObject({ status: 'failed', reason: { type: 'exited', code: 3 } });
  expect(await handle.result()).toMatchObject({ type: 'failed', output: 'one\ntwo\n' });
});

test('a late subscription replays and completes', async () => {
  const { rig, handle } = await createEnded();
  await using _ = rig;

  const statuses = await lastValueFrom(handle.status$.pipe(toArray()));
  const lines = await lastValueFrom(handle.lines$.pipe(toArray()));
  const views = await lastValueFrom(handle.view$.pipe(toArray()));
  const pieces = await lastValueFrom(handle.output$.pipe(toArray()));

  expect(statuses).toEqual(['failed']);
  expect(lines.map((line) => line.type === 'line' && line.text)).toEqual(['one', 'two']);
  expect(views).toHaveLength(1);
  expect(
    Buffer.concat(pieces.flatMap((piece) => (piece.type === 'chunk' ? [piece.bytes] : []))).toString(),
  ).toBe('one\ntwo\n');
});

test('a late iterator ends', async () => {
  const { rig, handle } = await createEnded();
  await using _ = rig;

  let bytes = 0;
  for await (const piece of handle.output()) if (piece.type === 'chunk') bytes += piece.bytes.byteLength;

  expect(bytes).toBe(8);
});

test('an early subscriber sees each status once', async () => {
  await using rig = createVirtualHarness({ script: () => {}, timeout: 100 });
  const handle = rig.supervisor.start({ command: 'x' });
  const statuses: string[] = [];
  handle.status$.subscribe((status) => statuses.push(status));

  rig.run(0).comeUp();
  rig.clock.advance(100);
  void handle.kill();
  await turn();

  expect(statuses).toEqual(['pending', 'running', 'backgrounded', 'stopping', 'killed']);
});

test('a list of all follows, once a turn', async () => {
  await using rig = createVirtualHarness();
  const lists: string[][] = [];
  rig.supervisor.processes$.subscribe((views) => lists.push(views.map(({ status }) => status)));

  for (let count = 0; count < 5; count += 1) rig.supervisor.start({ command: 'x' });
  await turn();
  for (let index = 0; index < 5; index += 1) rig.run(index).exit();
  await turn();

  expect(lists.at(0)).toEqual([]);
  expect(lists.at(-1)).toEqual(Array(5).fill('completed'));
  expect(lists.length).toBeLessThanOrEqual(5);
});

test('events are published once and in order', async () => {
  await using rig = createVirtualHarness({ timeout: 100 });
  const { id } = rig.supervisor.start({ command: 'x' });

  rig.clock.advance(100);
  rig.run(0).exit();
  await turn();

  expect(rig.events.map(({ type }) => type)).toEqual([
    'process.created',
    'process.started',
    'process.backgrounded',
    'process.ended',
  ]);
  expect(rig.events.every((event) => 'process' in event && event.process.id === id)).toBe(true);
});

test('a timeline names who did what', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x' });
  handle.background('agent');
  await handle.kill({ by: 'agent', signal: 'SIGINT' });

  expect(handle.timeline().map(({ type, by, detail }) => [type, by, detail])).toEqual([
    ['process.created', undefined, undefined],
    ['process.started', undefined, 'attempt 1, pid 1'],
    ['process.backgrounded', 'agent', undefined],
    ['process.stopping', undefined, undefined],
    ['process.signalled', 'agent', 'SIGINT to 1 process (1): a kill'],
    ['process.ended', undefined, 'killed'],
  ]);
});

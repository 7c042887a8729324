import { expect, test } from 'vitest';
import { createVirtualHarness } from '../support/virtual.ts';

const turn = () => new Promise(setImmediate);

test('a process that moves to the background says how to go on', async () => {
  await using rig = createVirtualHarness();
  const result = rig.supervisor.execute({ command: 'make', timeout: '2s', maxBackgroundTime: '1h' });
  await turn();
  rig.clock.advance(2_000);

  const { type, ...more } = await result;
  const { message, process } = more as { message: string; process: { id: string } };

  expect(type).toBe('backgrounded');
  expect(message).toBe(
    `Still running after 2s: it continues in the background as ${process.id}. Its output so far is kept: read it with this id. A time limit ends it in 59m 58s if it has not ended by then.`,
  );
});

test('a queued process names the holders of the slots', async () => {
  await using rig = createVirtualHarness({ maxParallelTools: 2 });
  const holders = ['one', 'two'].map((command) => rig.supervisor.start({ command, timeout: 0 }));
  rig.clock.advance(60_000);
  const result = rig.supervisor.execute({ command: 'make', timeout: '2s' });
  await turn();
  rig.clock.advance(2_000);

  const { type, message, process } = (await result) as never as {
    type: string;
    message: string;
    process: { id: string };
  };

  const [one, two] = holders.map(({ id }) => id);
  expect(type).toBe('queued');
  expect(message).toBe(
    `Process ${process.id} has not started after 2s: all 2 slots for foreground commands are taken by ${one} (one, for 1m 02s), ${two} (two, for 1m 02s). ` +
      'It stays queued and starts in the background when a slot is free. To free a slot, end one of these processes; ' +
      `to cancel it, kill ${process.id}.`,
  );
});

test('a process that is cancelled in the queue says so', async () => {
  await using rig = createVirtualHarness({ maxParallelTools: 1 });
  const { id } = rig.supervisor.start({ command: 'one', timeout: 0 });
  const result = rig.supervisor.execute({ command: 'make', timeout: '2s', onTimeout: 'kill' });
  await turn();
  rig.clock.advance(2_000);

  const { type, message, process } = (await result) as never as {
    type: string;
    message: string;
    process: { id: string };
  };

  expect(type).toBe('timed_out');
  expect(message).toBe(
    `Process ${process.id} has not started after 2s: all 1 slots for foreground commands are taken by ${id} (one, for 2s). It was cancelled at its time limit and will not start.`,
  );
});

test('a process that survives its kill names who is alive', async () => {
  await using rig = createVirtualHarness({ killGrace: '1s' });
  const result = rig.supervisor.execute({ command: 'make', timeout: '1h' });
  await turn();
  rig.run(0).obeys = () => false;
  rig.run(0).children = [{ pid: 2 ** 22, pgid: 9, startedAt: '1', command: 'nfs' }];
  const [{ id } = { id: '' }] = rig.supervisor.list();
  void rig.supervisor.kill(id);
  rig.clock.advance(10_000);

  const { type, message } = (await result) as never as { type: string; message: string };

  expect(type).toBe('survived');
  expect(message).toMatch(
    /^Process \S+ was stopped and is not gone: still alive: .*4194304 \(nfs\), which was alive at the last check\. It stays "stopping" and is watched\.$/,
  );
  rig.run(0).obeys = () => true;
  rig.run(0).exit({ signal: 'SIGKILL' });
  rig.run(0).tell({ type: 'tree.gone', ended: [] });
});

const member = (pid: number) => ({ pid, pgid: pid, startedAt: '1', command: `sleep ${pid}` });

test.each([
  [[2 ** 22 + 1], '1 leftover was ended'],
  [[2 ** 22 + 1, 2 ** 22 + 2], '2 leftovers were ended'],
])('a kill of leftovers counts them (%#)', async (pids, ended) => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x' });
  const run = rig.run(0);
  run.children = pids.map(member);
  run.exit();
  await handle.ended;

  const { message } = await handle.kill();

  expect(message).toBe(`Process ${handle.id} had ended; ${ended}, none is left.`);
});

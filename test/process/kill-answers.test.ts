import { expect, test } from 'vitest';
import { createVirtualHarness, turn } from '../support/virtual.ts';

const member = (pid: number) => ({ pid, pgid: pid, startedAt: '1', command: `sleep ${pid}` });

test('a kill of an unknown id names the nearest', async () => {
  await using rig = createVirtualHarness();
  const { id } = rig.supervisor.start({ command: 'x' });
  const misspelt = `${id.slice(0, -1)}_`;

  const answer = await rig.supervisor.kill(misspelt);

  expect(answer).toEqual({
    type: 'notFound',
    nearest: [id],
    message: `Process "${misspelt}" not found. Did you mean ${id}?`,
  });
});

test('a kill answer escapes control characters of an id', async () => {
  await using rig = createVirtualHarness();

  const { message } = await rig.supervisor.kill('\u001b[2J\n');

  expect(message).toBe('Process "\\u001b[2J\\n" not found. There are no processes.');
});

test('a kill cancels a pending process', async () => {
  await using rig = createVirtualHarness({ maxParallelTools: 1 });
  rig.supervisor.start({ command: 'x' });
  const { id } = rig.supervisor.start({ command: 'y' });

  expect(await rig.supervisor.kill(id, { by: 'agent' })).toEqual({
    type: 'cancelled',
    message: `Process ${id} was cancelled before it started.`,
  });
});

test('a kill of a running process gives a receipt', async () => {
  await using rig = createVirtualHarness();
  const { id } = rig.supervisor.start({ command: 'x' });
  rig.run(0).children = [member(5), member(6)];

  expect(await rig.supervisor.kill(id)).toEqual({
    type: 'killed',
    receipt: {
      signalled: 'SIGTERM',
      escalated: false,
      survivors: [],
      leftoversEnded: [member(5), member(6)],
      durationMs: 0,
    },
    message: `Process ${id} is gone after 0 ms (SIGTERM, with 2 other members of its tree).`,
  });
});

test('a kill of a stopping process answers alreadyStopping', async () => {
  await using rig = createVirtualHarness({ killGrace: '2s' });
  const { id } = rig.supervisor.start({ command: 'x' });
  rig.run(0).obeys = (signal) => signal === 'SIGKILL';
  const first = rig.supervisor.kill(id);
  rig.clock.advance(1_000);
  const second = rig.supervisor.kill(id);
  rig.clock.advance(1_000);

  const [one, two] = await Promise.all([first, second]);

  expect(one).toMatchObject({ type: 'killed', receipt: { escalated: true, durationMs: 2_000 } });
  expect(two.type).toBe('alreadyStopping');
  expect('receipt' in two && two.receipt).toEqual('receipt' in one && one.receipt);
  expect(two.message).toBe(
    `Process ${id} was already stopping. Process ${id} is gone after 2s (SIGTERM, then SIGKILL).`,
  );
  expect(rig.run(0).signals).toEqual(['SIGTERM', 'SIGKILL']);
});

test('a kill of an ended process says how it ended', async () => {
  await using rig = createVirtualHarness();
  const { id, ended } = rig.supervisor.start({ command: 'x' });
  rig.run(0).exit({ code: 3 });
  await ended;
  rig.clock.advance(90_000);

  expect(await rig.supervisor.kill(id)).toEqual({
    type: 'notRunning',
    message: `Process ${id} is not running: it exited with code 3, 1m 30s ago (status failed).`,
  });
});

test('a kill with SIGKILL sends no SIGTERM first', async () => {
  await using rig = createVirtualHarness();
  const { id } = rig.supervisor.start({ command: 'x' });

  const answer = await rig.supervisor.kill(id, { signal: 'SIGKILL' });

  expect(rig.run(0).signals).toEqual(['SIGKILL']);
  expect(answer).toMatchObject({ type: 'killed', receipt: { signalled: 'SIGKILL', escalated: false } });
});

test('a later SIGKILL cuts the grace short', async () => {
  await using rig = createVirtualHarness({ killGrace: '1h' });
  const { id } = rig.supervisor.start({ command: 'x' });
  rig.run(0).obeys = (signal) => signal === 'SIGKILL';
  const first = rig.supervisor.kill(id);

  await rig.supervisor.kill(id, { signal: 'SIGKILL' });

  expect(await first).toMatchObject({ type: 'killed', receipt: { signalled: 'SIGTERM', escalated: true } });
  expect(rig.run(0).signals).toEqual(['SIGTERM', 'SIGKILL']);
});

test('a later order can only shorten the grace', async () => {
  await using rig = createVirtualHarness({ killGrace: '10s' });
  const { id } = rig.supervisor.start({ command: 'x' });
  rig.run(0).obeys = (signal) => signal === 'SIGKILL';
  const answer = rig.supervisor.kill(id);
  rig.clock.advance(2_000);

  void rig.supervisor.kill(id, { grace: '1h' });
  void rig.supervisor.kill(id, { grace: '3s' });
  void rig.supervisor.kill(id, { grace: '4s' });
  rig.clock.advance(2_999);
  expect(rig.run(0).signals).toEqual(['SIGTERM']);
  rig.clock.advance(1);

  expect(await answer).toMatchObject({ receipt: { escalated: true, durationMs: 5_000 } });
});

test('exit code 0 after a kill is killed with code 0', async () => {
  await using rig = createVirtualHarness();
  const { id, ended } = rig.supervisor.start({ command: 'x' });
  const run = rig.run(0);
  run.obeys = () => false;
  const answer = rig.supervisor.kill(id);
  run.exit({ code: 0 });
  run.tell({ type: 'tree.gone', ended: [] });

  expect((await answer).type).toBe('killed');
  expect(await ended).toMatchObject({
    status: 'killed',
    exit: { code: 0, signal: null },
    reason: { type: 'killed', by: 'user', signal: 'SIGTERM' },
  });
});

test('a kill names survivors of SIGKILL until they are gone', async () => {
  await using rig = createVirtualHarness({ killGrace: '1s' });
  const handle = rig.supervisor.start({ command: 'x' });
  rig.run(0).obeys = () => false;
  rig.run(0).children = [member(9)];
  const answer = handle.kill();
  rig.clock.advance(3_000);

  expect(await answer).toMatchObject({
    type: 'survived',
    receipt: { escalated: true, survivors: expect.arrayContaining([member(9)]) },
    message: expect.stringContaining('9 (sleep 9)'),
  });
  expect(handle.view()).toMatchObject({ status: 'stopping', survivors: expect.arrayContaining([member(9)]) });
  rig.run(0).exit({ signal: 'SIGKILL' });
  rig.run(0).tell({ type: 'tree.gone', ended: [member(9)] });
  await turn();

  expect(handle.view()).toMatchObject({ status: 'killed', receipt: { survivors: [] } });
});

test('a kill of leftovers names those that survive it', async () => {
  await using rig = createVirtualHarness({ killGrace: '1s' });
  const handle = rig.supervisor.start({ command: 'x', leftovers: 'keep' });
  rig.run(0).children = [member(9)];
  rig.run(0).exit({ code: 0 });
  await handle.ended;
  rig.run(0).obeys = () => false;

  const answer = handle.kill();
  rig.clock.advance(3_000);

  expect(await answer).toMatchObject({
    type: 'survived',
    message: `Process ${handle.id} had ended; 0 leftovers were ended, still alive: 9 (sleep 9), which was alive at the last check.`,
  });
});

test('a kill during the drain of the output is a kill', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x' });
  rig.run(0).holdsOutput = true;
  rig.run(0).exit({ code: 0 });

  const answer = await handle.kill();

  expect(answer.type).toBe('killed');
  expect(handle.view()).toMatchObject({ status: 'killed', exit: { code: 0 } });
});

test('a hundred kills at once share one receipt', async () => {
  await using rig = createVirtualHarness({ killGrace: '1s' });
  const handle = rig.supervisor.start({ command: 'x' });
  rig.run(0).obeys = (signal) => signal === 'SIGKILL';

  const answers = Array.from({ length: 100 }, () => handle.kill());
  rig.clock.advance(1_000);
  const receipts = (await Promise.all(answers)).map((answer) =>
    'receipt' in answer ? answer.receipt : null,
  );

  expect(receipts[0]?.durationMs).toBe(1_000);
  expect(new Set(receipts).size).toBe(1);
  expect(rig.run(0).signals).toEqual(['SIGTERM', 'SIGKILL']);
  expect(rig.count('process.ended')).toBe(1);
});

test('a kill with an invalid option throws', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x' });

  await expect(handle.kill({ signal: 'TERM' as never })).rejects.toThrow('"signal" is "TERM"');
  expect(handle.status).toBe('running');
});

test('a kill in the pause before a restart cancels it', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', restart: { policy: 'permanent' } });
  rig.run(0).exit({ code: 3 });
  await turn();

  const answer = await handle.kill();
  const { status, reason, exit } = await handle.ended;

  expect(answer).toEqual({
    type: 'cancelled',
    message: `Process ${handle.id} was cancelled before it started again.`,
  });
  expect({ status, reason, exit }).toEqual({
    status: 'killed',
    reason: { type: 'cancelled', by: 'user' },
    exit: { code: 3, signal: null },
  });
});

test('a write of neither text nor bytes throws at once', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', stdin: 'pipe' });

  const write = () => handle.write(new ArrayBuffer(8) as never);

  expect(write).toThrow('write: the data is object; expected text or a Uint8Array.');
  expect(await handle.write('text')).toEqual({ ok: true, bytesWritten: 4 });
});

test('a status is emitted once, whatever else changes', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', ready: { line: 'up' } });
  const statuses: string[] = [];
  handle.status$.subscribe((status) => statuses.push(status));

  rig.run(0).print('up\n');
  await handle.ready();
  rig.run(0).exit();
  await handle.ended;

  expect(statuses).toEqual(['running', 'completed']);
});

test('a restarted process is not ready until it is again', async () => {
  await using rig = createVirtualHarness();
  const handle = rig.supervisor.start({ command: 'x', ready: { line: 'up' } });
  rig.run(0).print('up\n');
  await handle.ready();

  handle.restart();
  await turn();
  const again = handle.ready();
  const states = [handle.view()].map((view) => 'ready' in view && view.ready.state);
  rig.run(1).print('up\n');

  expect(states).toEqual(['waiting']);
  expect(await again).toMatchObject({ state: 'ready' });
});

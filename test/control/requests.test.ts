import { expect, test } from 'vitest';
import { type ControlReply, MAX_REQUESTS, PROTOCOL_VERSION } from '../../src/control/protocol.ts';
import { isAlive, waitUntil } from '../support/os.ts';
import { openControlStage, openRawClient } from './arrange.ts';

const resultOf = (reply: ControlReply) => ('result' in reply ? reply.result : reply) as never;
const messageOf = (reply: ControlReply) => ('error' in reply ? reply.error.message : JSON.stringify(reply));

test('every request about a process does what its handle does', async () => {
  await using stage = await openControlStage();
  const { supervisor, idle } = stage;
  const cat = supervisor.start({ command: ['cat'], background: true, stdin: 'pipe' });
  const client = await openRawClient(stage.socketPath);

  const hello = resultOf(await client.ask(1, 'hello'));
  const list = resultOf(await client.ask(2, 'list'));
  const written = resultOf(await client.ask(3, 'write', { id: cat.id, data: btoa('moin\n') }));
  await waitUntil(() => cat.view().output.bytes === 5);
  const read = resultOf(await client.ask(4, 'read', { id: cat.id }));
  const closed = resultOf(await client.ask(5, 'endInput', { id: cat.id }));
  const end = resultOf(await client.ask(6, 'wait', { id: cat.id }));
  const changed = resultOf(await client.ask(7, 'changeLimits', { id: idle.id, changes: { timeout: '9s' } }));
  const shown = resultOf(await client.ask(8, 'show', { id: idle.id }));
  const killed = resultOf(await client.ask(9, 'kill', { id: idle.id, options: { grace: '1s' } }));

  expect(hello).toEqual({
    supervisorId: supervisor.id,
    role: 'program',
    pid: process.pid,
    cwd: supervisor.cwd,
  });
  expect(list).toMatchObject([{ id: idle.id }, { id: cat.id }]);
  expect(written).toEqual({ ok: true, bytesWritten: 5 });
  expect(read).toMatchObject({ text: 'moin\n', to: 5 });
  expect(closed).toMatchObject({ ok: true });
  expect(end).toMatchObject({ id: cat.id, status: 'completed' });
  expect(changed).toBe(true);
  expect(shown).toMatchObject({ view: { id: idle.id }, timeline: [{ type: 'process.created' }, {}, {}] });
  expect(killed).toMatchObject({ type: 'killed', receipt: { survivors: [] } });
  client.socket.destroy();
});

test('a request number is free again after its answer', async () => {
  await using stage = await openControlStage();
  const client = await openRawClient(stage.socketPath);
  const hello = JSON.stringify({ v: PROTOCOL_VERSION, id: 7, method: 'hello', params: {} });

  for (let asked = 1; asked <= 3; asked += 1) {
    client.send(`${hello}\n`);
    await waitUntil(() => client.replies.length === asked);
  }

  expect(client.replies.filter((reply) => 'result' in reply)).toHaveLength(3);
  client.socket.destroy();
});

test('a connection answers more requests than may be under way', async () => {
  await using stage = await openControlStage();
  const client = await openRawClient(stage.socketPath);

  for (let id = 1; id <= MAX_REQUESTS + 1; id += 1) await client.ask(id, 'hello');

  expect(client.replies.filter((reply) => 'result' in reply)).toHaveLength(MAX_REQUESTS + 1);
  client.socket.destroy();
});

test('a start over the socket has the environment of its client', async () => {
  await using stage = await openControlStage();
  const client = await openRawClient(stage.socketPath);
  const spec = { command: 'echo "$MINE|$HOME|$SECRET_API_KEY|$PAGER|$ON_TOP"', env: { ON_TOP: 'y' } };
  const env = { MINE: 'x', SECRET_API_KEY: 'hidden', PAGER: 'less', PATH: process.env['PATH'] };

  const started = resultOf(await client.ask(1, 'start', { spec, env })) as { id: string };

  const end = await stage.state.wait(started.id);
  expect(end.status).toBe('completed');
  expect((await stage.state.read(started.id)).text).toBe('x|||cat|y\n');
  client.socket.destroy();
});

test('an impossible request is refused with an explanation', async () => {
  await using stage = await openControlStage();
  const client = await openRawClient(stage.socketPath);

  const refusals = [
    await client.ask(1, 'lst'),
    await client.ask(2, 'show', { id: 'tool_unknown2' }),
    await client.ask(3, 'read', { id: stage.idle.id, options: { tial: 3 } }),
    await client.ask(4, 'kill', { id: stage.idle.id, options: { signal: 'SIGTEMR' } }),
    await client.ask(5, 'start', { spec: { comand: 'true' } }),
    await client.ask(6, 'shutdown'),
  ].map(messageOf);
  client.send('{"v":7,"id":7,"method":"list"}\n');
  const version = messageOf(await client.until(({ id }) => id === 7));

  expect(refusals).toEqual([
    'There is no request "lst". Did you mean "list"?',
    `Process "tool_unknown2" is not one of supervisor ${stage.supervisor.id}.`,
    'read: there is no option "options.tial" (given: 3). Did you mean "tail"?',
    expect.stringContaining('the nearest is "SIGTERM"'),
    expect.stringContaining('"command"'),
    `This supervisor is part of the program with pid ${process.pid}: end that program instead.`,
  ]);
  expect(version).toBe(
    `The supervisor (pid ${process.pid}) speaks version 1 of the control protocol, the other side version 7. Use the same troupe on both sides: end the older program, or install the version it was started with.`,
  );
  client.socket.destroy();
});

test('an order over the socket reaches the whole tree', async () => {
  await using stage = await openControlStage();
  const handle = stage.supervisor.start({ command: 'sleep 1000 & sleep 1000', background: true });
  const { pid } = (await waitUntil(() => {
    const view = handle.view();
    return 'pid' in view && view.pid !== null ? view : null;
  })) as { pid: number };

  const answer = await stage.state.kill(handle.id);

  expect(answer).toMatchObject({ type: 'killed', receipt: { survivors: [] } });
  expect(isAlive(pid)).toBe(false);
});

test('a cancelled wait is not answered', async () => {
  await using stage = await openControlStage();
  const client = await openRawClient(stage.socketPath);
  client.send(`${JSON.stringify({ v: 1, id: 1, method: 'wait', params: { id: stage.idle.id } })}\n`);

  const cancelled = resultOf(await client.ask(2, 'cancel', { request: 1 }));
  await stage.idle.kill();
  await client.ask(3, 'list');

  expect(cancelled).toBe(true);
  expect(client.replies.filter(({ id }) => id === 1)).toEqual([]);
  client.socket.destroy();
});

test('a terminal started over the socket has nothing of its client terminal', async () => {
  await using stage = await openControlStage();
  const client = await openRawClient(stage.socketPath);
  const spec = { command: 'echo "$TERM|$LINES|$COLUMNS|$TMUX|$COLORTERM|$MINE"', interactive: true };
  const ofClient = {
    TERM: 'xterm-kitty',
    LINES: '7',
    COLUMNS: '9',
    TMUX: '/tmp/x,1,0',
    COLORTERM: 'truecolor',
  };
  const env = { ...ofClient, MINE: 'x', PATH: process.env['PATH'] };

  const started = resultOf(await client.ask(1, 'start', { spec, env })) as { id: string };

  await stage.state.wait(started.id);
  const [term, ...rest] = (await stage.state.read(started.id)).text.trim().split('|');
  expect(['tmux-256color', 'screen-256color', 'screen', 'xterm-256color']).toContain(term);
  expect(rest).toEqual(['', '', '', '', 'x']);
  client.socket.destroy();
});

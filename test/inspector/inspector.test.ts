import { expect, test } from 'vitest';
import { createActor, setup } from 'xstate';
import { createConversation } from '../../src/conversation/create-conversation.ts';
import type { LiveSnapshot } from '../../src/live/live-handler.ts';
import type { LiveState } from '../../src/live/live-state.ts';
import { createRemoteStore } from '../../src/live/remote-store.ts';
import { createScriptedModel } from '../../src/models/scripted-model.ts';
import type { PermissionQuestion } from '../../src/policy/authorize.ts';
import { waitUntil } from '../support/os.ts';
import { openInspector, origin } from './arrange.ts';

const snapshot = async (stage: ReturnType<typeof openInspector>): Promise<LiveState> =>
  ((await stage.read('/api/snapshot')) as LiveSnapshot).state;

test('the state has processes with what happened to them', async () => {
  await using stage = openInspector({ title: 'shop' });
  await stage.open();
  const handle = stage.start('web');
  await waitUntil(() => handle.status === 'backgrounded');

  const { processes, timelines } = await snapshot(stage);

  expect(processes.map(({ label }) => label)).toEqual(['web']);
  expect(timelines[handle.id]).toEqual(JSON.parse(JSON.stringify(handle.timeline())));
  expect(await stage.read('/api/about')).toMatchObject({
    ...{ kind: 'program', title: 'shop', readOnly: false },
    supervisors: [{ id: stage.supervisor.id, role: 'program', pid: process.pid }],
  });
});

test('a page follows timelines and questions, and continues after a lost connection', async () => {
  await using stage = openInspector();
  await stage.open();
  const cuts: AbortController[] = [];
  const page = createRemoteStore(`${origin}/api`, {
    fetch: async (url, init) => {
      const cut = new AbortController();
      cuts.push(cut);
      const signal = init.signal ? AbortSignal.any([init.signal, cut.signal]) : cut.signal;
      const { pathname, search } = new URL(url);
      const response = await stage.request(pathname + search, { ...init, signal });
      return new Response(response.body?.pipeThrough(new TransformStream(), { signal }), response);
    },
  });
  const stop = page.subscribe(() => {});
  try {
    await waitUntil(() => page.getSnapshot().connection === 'open');
    const handle = stage.start('web');
    await waitUntil(
      () => page.getSnapshot().timelines[handle.id]?.some(({ type }) => type === 'process.started') ?? false,
    );
    cuts.at(-1)?.abort(new Error('the network is gone'));
    stage.backend.lastRun.exit({ code: 3 });
    const leave = new AbortController();
    const consent = stage.inspector.ask(question, leave.signal);

    await waitUntil(() => page.getSnapshot().timelines[handle.id]?.at(-1)?.type === 'process.ended');
    await waitUntil(() => page.getSnapshot().questions.length === 1);
    leave.abort();
    expect(await consent).toBe(false);
    await waitUntil(() => page.getSnapshot().questions.length === 0);
    expect(page.getSnapshot().timelines[handle.id]).toEqual(JSON.parse(JSON.stringify(handle.timeline())));
  } finally {
    stop();
  }
});

const question: PermissionQuestion = {
  ...{ tool: 'run_command', permission: 'start', arguments: { command: 'rm -rf dist' }, callId: 'call_1' },
  ...{ agent: 'assistant', question: 'May it run rm -rf dist?', reason: 'It deletes files.', always: null },
};

test('an agent waits for the answer that the page gives', async () => {
  await using stage = openInspector();
  await stage.open();
  const conversation = createConversation({
    supervisor: stage.supervisor,
    policy: { mode: 'default' },
    ask: stage.inspector.ask,
    model: createScriptedModel([
      { calls: [{ name: 'start_process', arguments: { command: 'make all' } }] },
      { text: 'Started.' },
    ]),
  });
  const remove = stage.inspector.add(conversation);
  const { answer: said } = await stage.order('say', { id: conversation.id, text: 'Build it.' });
  expect(said).toEqual({ result: true });
  let asked: LiveState['questions'] = [];
  await waitUntil(async () => {
    asked = (await snapshot(stage)).questions;
    return asked.length === 1;
  });

  expect(asked[0]?.question).toMatchObject({ tool: 'start_process', arguments: { command: 'make all' } });
  expect((await stage.order('answer', { id: asked[0]?.id, consent: true })).answer).toEqual({ result: true });
  await conversation.idle();

  expect(conversation.transcript.at(-1)).toMatchObject({ role: 'assistant', text: 'Started.' });
  expect(stage.supervisor.list()).toHaveLength(1);
  expect((await stage.order('answer', { id: asked[0]?.id, consent: true })).answer).toEqual({
    result: false,
  });
  remove();
  expect((await stage.order('say', { id: conversation.id, text: 'hi' })).answer).toMatchObject({
    error: { code: 'not-found' },
  });
  await conversation.close();
});

test('orders of a page pause, signal and resume a process', async () => {
  await using stage = openInspector();
  await stage.open();
  const handle = stage.start('web');
  await waitUntil(() => handle.status === 'backgrounded');
  const { id } = handle;

  const paused = await stage.order('pause', { id });
  const { pausedAt } = handle.view() as { pausedAt: number | null };
  const signalled = await stage.order('signal', { id, options: { signal: 'SIGHUP' } });
  const resumed = await stage.order('resume', { id });

  expect(paused.answer).toMatchObject({
    result: { ok: true, message: expect.stringContaining('is paused') },
  });
  expect(pausedAt).not.toBeNull();
  expect(signalled.answer).toMatchObject({ result: { ok: true, pids: [1] } });
  expect(resumed.answer).toMatchObject({ result: { ok: true } });
  expect(handle.view()).toMatchObject({ pausedAt: null });
});

test('an order gets the answer of the call, and an error its words', async () => {
  await using stage = openInspector();
  await stage.open();
  const handle = stage.start('web');
  await waitUntil(() => handle.status === 'backgrounded');

  expect((await stage.order('kill', { id: handle.id })).answer).toMatchObject({
    result: { type: 'killed', receipt: { signalled: 'SIGTERM' } },
  });
  expect((await stage.order('restart', { id: handle.id })).answer).toEqual({ result: false });
  expect(await stage.order('restart', { id: 'tool_22222222' })).toMatchObject({
    status: 404,
    answer: { error: { code: 'not-found', message: expect.stringContaining('tool_22222222') } },
  });
  expect(await stage.order('kill', { id: handle.id, signal: 9 })).toMatchObject({
    status: 400,
    answer: { error: { code: 'invalid-option', message: expect.stringContaining('"signal"') } },
  });
  expect((await stage.order('toString', {})).answer).toMatchObject({ error: { code: 'protocol' } });
});

test('the same command starts again as another process', async () => {
  await using stage = openInspector();
  await stage.open();
  const handle = stage.start('web');
  await waitUntil(() => handle.status === 'backgrounded');
  stage.backend.lastRun.exit({ code: 1 });
  await handle.ended;

  const { answer } = await stage.order('startAgain', { id: handle.id });

  const { id } = (answer as { result: { id: string } }).result;
  expect(id).not.toBe(handle.id);
  expect(stage.supervisor.get(id)?.view()).toMatchObject({
    label: 'web',
    commandLine: 'make',
    owner: handle.view().owner,
  });
});

test('a read-only inspector shows everything and refuses each order', async () => {
  await using stage = openInspector({ readOnly: true });
  await stage.open();
  const handle = stage.start('web');

  expect(await stage.order('kill', { id: handle.id })).toMatchObject({
    status: 403,
    answer: { error: { code: 'read-only' } },
  });
  expect((await snapshot(stage)).processes).toHaveLength(1);
  expect('endedAt' in handle.view()).toBe(false);
});

test('output is sent from a cursor on, to the end of the process', async () => {
  await using stage = openInspector();
  await stage.open();
  const handle = stage.start('web');
  await waitUntil(() => handle.status === 'backgrounded');
  stage.backend.lastRun.print('one\n</script>\n');
  stage.backend.lastRun.exit({ code: 0 });
  await handle.ended;

  const response = await stage.request(`/api/output?id=${handle.id}&from=4`);
  const items = (await response.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(items[0]).toMatchObject({ stream: 'stdout', offset: 4, droppedBytes: 0 });
  const text = items.map(({ bytes }) => Buffer.from(bytes, 'base64').toString()).join('');
  expect(text).toBe('</script>\n');
});

test('an order beyond a megabyte is refused', async () => {
  await using stage = openInspector();
  await stage.open();

  const response = await stage.request('/api/act', {
    method: 'POST',
    body: JSON.stringify({ method: 'paste', params: { id: 'x', text: 'x'.repeat(1_100_000) } }),
    headers: { 'content-type': 'application/json', origin },
  });

  expect(response.status).toBe(400);
});

test('an inspector listens on this machine, and says when the port is taken', async () => {
  await using stage = openInspector();
  const first = await stage.inspector.listen();
  const port = Number(new URL(first.link).port);
  try {
    const response = await fetch(first.link, { redirect: 'manual' });
    expect(response.status).toBe(303);
    await expect(stage.inspector.listen({ port })).rejects.toMatchObject({
      code: 'invalid-option',
      message: expect.stringContaining(`127.0.0.1:${port} is taken by pid ${process.pid}`),
    });
  } finally {
    await first.close();
  }
});

test('a machine of the program is shown with its states, events and guards', async () => {
  await using stage = openInspector();
  await stage.open();
  const machine = setup({ guards: { isOpen: () => true } }).createMachine({
    id: 'door',
    initial: 'shut',
    states: {
      shut: { on: { push: { guard: 'isOpen', target: 'open' } } },
      open: { initial: 'wide', states: { wide: {} }, on: { pull: 'broken' } },
      broken: { type: 'final' },
    },
  });
  const actor = createActor(machine, { id: 'front', inspect: stage.inspector.inspect }).start();
  actor.send({ type: 'push' });

  const before = Object.values((await snapshot(stage)).machines)[0];
  actor.send({ type: 'pull' });
  const after = Object.values((await snapshot(stage)).machines)[0];

  expect(before).toMatchObject({
    name: 'front',
    status: 'active',
    chart: { name: 'door' },
    path: [
      { event: 'start', states: ['shut'] },
      { event: 'push', guards: ['isOpen'], transitions: ['shut -> open'], states: ['open.wide'] },
    ],
  });
  expect(after).toMatchObject({ status: 'done', path: [{}, {}, { event: 'pull', states: ['broken'] }] });
});

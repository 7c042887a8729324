import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  createInspector,
  createWebSocketInspector,
  type StatelyActorEvent,
  type StatelyInspectionEvent,
} from '@statelyai/inspect';
import { createConversation, createScriptedModel, createSupervisor, type Supervisor } from 'troupe';
import { createScriptedBackend } from 'troupe/testing';
import { expect, test, vi } from 'vitest';
import { WebSocketServer } from 'ws';

/** Each actor as the inspector draws it: its name and the name of its parent. */
function toFamily(events: readonly StatelyInspectionEvent[]): readonly (readonly [string, string | null])[] {
  const actors = events.filter((event): event is StatelyActorEvent => event.type === '@xstate.actor');
  const names = new Map(actors.map(({ sessionId, name }) => [sessionId, name]));
  return actors.map(({ name, parentId }) => [name, names.get(parentId ?? '') ?? null]);
}

/** Starts a process with a watch, and a conversation. */
async function play(supervisor: Supervisor): Promise<{ readonly id: string }> {
  const handle = supervisor.start({ command: ['true'], background: true });
  supervisor.watch(handle.id, { pattern: 'error' });
  const model = createScriptedModel([{ text: 'Hello.' }]);
  const conversation = createConversation({ supervisor, model, id: 'conv_a' });
  await conversation.say('Hi');
  await conversation.close();
  await handle.ended;
  return handle;
}

test('the Stately inspector shows the whole system over a WebSocket', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const messages: StatelyInspectionEvent[] = [];
  server.on('connection', (socket) =>
    socket.on('message', (data) => messages.push(JSON.parse(String(data)))),
  );
  const inspector = createWebSocketInspector({
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });

  const supervisor = createSupervisor({ stateDirectory: false, inspect: inspector.inspect });
  const { id } = await play(supervisor);
  await supervisor.shutdown();
  const isDone = (event: StatelyInspectionEvent) =>
    event.type === '@xstate.snapshot' && 'value' in event.snapshot && event.snapshot['value'] === 'completed';
  await vi.waitFor(() => expect(messages.some(isDone)).toBe(true), { timeout: 30_000 });

  expect(toFamily(messages)).toEqual([
    ['supervisor', null],
    [id, 'supervisor'],
    [`${id}/runner`, id],
    [`${id}/watch`, 'supervisor'],
    ['conv_a', 'supervisor'],
  ]);
  expect(new Set(messages.map(({ rootId }) => rootId))).toHaveProperty('size', 1);
  const chart = messages.find((event) => event.type === '@xstate.actor' && event.name === id);
  expect(JSON.parse((chart as StatelyActorEvent).definition ?? '')).toMatchObject({
    id: 'process',
    states: { running: { description: expect.any(String) } },
  });
  inspector.stop();
  for (const client of server.clients) client.terminate();
  server.close();
});

test('an adapter of the Stately inspector hears of a thousand processes', async () => {
  const events: StatelyInspectionEvent[] = [];
  const inspector = createInspector({ send: (event) => void events.push(event) });
  const backend = createScriptedBackend((run) => {
    run.comeUp();
    run.exit();
  });
  const supervisor = createSupervisor({
    ...{ stateDirectory: false, backend, maxBackgroundProcesses: 1_000 },
    inspect: inspector.inspect,
  });

  const handles = Array.from({ length: 1_000 }, () => supervisor.start({ command: ['x'], background: true }));
  await Promise.all(handles.map(({ ended }) => ended));
  await supervisor.shutdown();
  await vi.waitFor(() => expect(toFamily(events)).toHaveLength(2_001), { timeout: 60_000 });

  const names = toFamily(events).flatMap(([name, parent]) => (parent === 'supervisor' ? [name] : []));
  expect(names).toEqual(handles.map(({ id }) => id));
});

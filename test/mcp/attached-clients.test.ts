import { Client } from '@modelcontextprotocol/client';
import { afterAll, expect, test } from 'vitest';
import { createAttachedClients } from '../../src/mcp/attach/create-attached-clients.ts';
import { tempDir } from '../support/os.ts';
import { createVirtualHarness } from '../support/virtual.ts';
import { speaking } from './arrange.ts';

const place = {
  name: 'editor',
  cwd: '/project',
  env: { PLAIN: 'plain', MY_API_KEY: 'hunter2' },
  tools: 'process',
  policy: { mode: 'dangerous' },
  version: '1',
};

const directory = tempDir();
afterAll(() => directory.remove());

/** A daemon that serves clients, with processes that are played by hand. */
function arrange() {
  const rig = createVirtualHarness({ durable: true, stateDirectory: directory.file('state') });
  const attached = createAttachedClients(rig.supervisor);
  const attach = async () => {
    const leaving = new AbortController();
    const client = new Client({ name: 'test', version: '1' }, speaking('legacy'));
    const opened = Promise.withResolvers<string>();
    const transport: Parameters<Client['connect']>[0] = {
      start: async () => {},
      close: async () => leaving.abort(),
      send: async (message) =>
        void attached.receive({ channel: await opened.promise, message: message as never }),
    };
    const served = attached.serve(place as never, {
      signal: leaving.signal,
      send: async (item) => {
        if ('channel' in item) opened.resolve(item.channel);
        else transport.onmessage?.(item.message as never);
      },
    });
    await Promise.race([opened.promise, served]);
    await client.connect(transport);
    const start = (input: Record<string, unknown>) =>
      client.callTool({ name: 'start_process', arguments: input });
    return { start, served, leave: () => leaving.abort() };
  };
  return { ...rig, attached, attach };
}

test('a command of an attached client runs where the client is, without its keys', async () => {
  await using given = arrange();
  const { start, served, leave } = await given.attach();

  await start({ command: 'make', cwd: 'a' });
  const [view] = given.supervisor.list();
  const { request } = given.backend.lastRun;
  leave();
  await served;

  expect(view).toMatchObject({ cwd: '/project/a', lifetime: 'persistent', owner: 'shell/editor' });
  expect(request.env).toMatchObject({ PLAIN: 'plain' });
  expect(request.env).not.toHaveProperty('MY_API_KEY');
});

test('a name is free once its client has left', async () => {
  await using given = arrange();
  const first = await given.attach();

  await expect(given.attach()).rejects.toMatchObject({
    code: 'invalid-option',
    message: expect.stringContaining('A client named "editor" is attached already'),
  });
  first.leave();
  const second = await given.attach();
  second.leave();

  expect(await Promise.all([first.served, second.served])).toEqual([null, null]);
});

test('a message for a closed channel is refused', async () => {
  await using given = arrange();

  expect(() => given.attached.receive({ channel: 'gone', message: {} })).toThrow(
    expect.objectContaining({
      code: 'not-found',
      message: 'The channel "gone" is closed: attach again.',
    }),
  );
});

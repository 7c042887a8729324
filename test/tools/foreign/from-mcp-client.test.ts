import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createConversation } from '../../../src/conversation/create-conversation.ts';
import { createScriptedModel } from '../../../src/models/scripted-model.ts';
import { fromMcpClient, type McpClientToolOptions } from '../../../src/tools/foreign/from-mcp-client.ts';
import { toInputSchema } from '../../../src/tools/input-schema.ts';
import { arrange } from '../arrange.ts';

/** A server in this program, with its client, and a host with its tools. */
async function serve(register: (server: McpServer) => void, options: McpClientToolOptions = {}) {
  const server = new McpServer({ name: 'files', version: '1' });
  register(server);
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(near);
  const tools = await fromMcpClient(client, options);
  const given = arrange();
  const host = given.host({ tools });
  return {
    ...{ server, client, tools, supervisor: given.supervisor },
    answer: async (name: string, input: unknown, signal?: AbortSignal) =>
      (await host.call({ name, input }, { signal })).answer,
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await host.close();
      await given[Symbol.asyncDispose]();
    },
  };
}

const path = { inputSchema: z.object({ path: z.string() }) };

test('a tool of an MCP server answers with its text', async () => {
  await using given = await serve((server) =>
    server.registerTool('read.file', { ...path, title: 'Read', description: 'Reads a file' }, (input) => ({
      content: [{ type: 'text', text: `content of ${input.path}` }],
    })),
  );

  const answer = await given.answer('read_file', { path: 'a.txt' });

  expect(answer).toEqual({ ok: true, data: 'content of a.txt' });
  expect(given.tools[0]).toMatchObject({
    title: 'Read',
    description: 'Reads a file',
    permissions: ['other'],
  });
  expect(given.tools[0] && toInputSchema(given.tools[0])).toMatchObject({ required: ['path'] });
});

test('a conversation calls a tool of an MCP server', async () => {
  await using given = await serve((server) =>
    server.registerTool('read', path, () => ({ content: [{ type: 'text', text: 'hello' }] })),
  );
  await using conversation = createConversation({
    supervisor: given.supervisor,
    tools: given.tools,
    model: createScriptedModel([
      { calls: [{ name: 'read', arguments: { path: 'a.txt' } }] },
      { text: 'read' },
    ]),
  });

  await conversation.say('read a.txt');

  expect(conversation.transcript.find(({ role }) => role === 'tool')).toMatchObject({
    text: JSON.stringify({ ok: true, data: 'hello' }),
  });
});

test('images, audio, links and resources of an MCP server are described in words', async () => {
  await using given = await serve((server) =>
    server.registerTool('look', {}, () => ({
      content: [
        { type: 'text', text: 'Seen:' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'audio', data: 'AAAAAAAA', mimeType: 'audio/wav' },
        { type: 'resource_link', uri: 'file:///a.txt', name: 'a.txt', mimeType: 'text/plain' },
        { type: 'resource', resource: { uri: 'file:///b.txt', text: 'the text of b' } },
        { type: 'resource', resource: { uri: 'file:///c.bin', blob: 'AAAA', mimeType: 'application/zip' } },
      ],
    })),
  );

  expect(await given.answer('look', {})).toEqual({
    ok: true,
    data: [
      'Seen:',
      '[image, image/png, 3 bytes; its content is not shown]',
      '[audio, audio/wav, 6 bytes; its content is not shown]',
      '[resource link, a.txt, text/plain, file:///a.txt]',
      '[resource file:///b.txt]\nthe text of b',
      '[resource file:///c.bin, application/zip, 3 bytes; its content is not shown]',
    ].join('\n'),
  });
});

test.each([
  ['repeated as text', [{ type: 'text' as const, text: '{"size":3}' }], { size: 3 }],
  [
    'beside other text',
    [{ type: 'text' as const, text: 'three' }],
    { content: 'three', structured: { size: 3 } },
  ],
])('structured content of an MCP server %s is the data', async (_, content, data) => {
  await using given = await serve((server) =>
    server.registerTool('size', { outputSchema: z.object({ size: z.number() }) }, () => ({
      content,
      structuredContent: { size: 3 },
    })),
  );

  expect(await given.answer('size', {})).toEqual({ ok: true, data });
});

test('an error of an MCP tool and a broken connection are answers', async () => {
  await using given = await serve((server) =>
    server.registerTool('read', path, () => ({
      content: [{ type: 'text', text: 'no such file' }],
      isError: true,
    })),
  );

  const missing = await given.answer('read', {});
  const failed = await given.answer('read', { path: 'x' });
  await given.server.close();
  const lost = await given.answer('read', { path: 'x' });

  expect(missing).toEqual({ ok: false, error: 'path is required', worked: true });
  expect(failed).toEqual({ ok: false, error: 'no such file', worked: true });
  expect(lost).toEqual({ ok: false, error: expect.stringMatching(/connect|closed/i) });
});

/** Returns the answer to a call of a server that does not keep to the protocol: any server may be connected. */
async function answerOf(result: unknown) {
  const client = {
    listTools: async () => ({ tools: [{ name: 'look', inputSchema: {} }] }),
    callTool: async () => result,
  };
  await using given = arrange();
  await using host = given.host({ tools: await fromMcpClient(client) });
  return (await host.call({ name: 'look', input: {} })).answer;
}

test('an MCP tool that fails without a word answers that it failed', async () => {
  expect(await answerOf({ isError: true })).toEqual({
    ok: false,
    error: 'The tool failed and did not say why.',
    worked: true,
  });
});

test('an MCP tool without content answers with empty text', async () => {
  expect(await answerOf({})).toEqual({ ok: true, data: '' });
});

test('an interrupted call is cancelled at the MCP server', async () => {
  const started = Promise.withResolvers<AbortSignal>();
  await using given = await serve((server) =>
    server.registerTool('wait', {}, (context) => {
      started.resolve(context.mcpReq.signal);
      return new Promise(() => {});
    }),
  );
  const controller = new AbortController();

  const answer = given.answer('wait', {}, controller.signal);
  const atServer = await started.promise;
  controller.abort(new Error('the person left'));

  expect(await answer).toEqual({ ok: false, error: 'wait was interrupted: the person left', worked: true });
  await new Promise<void>((resolve) => {
    if (atServer.aborted) resolve();
    else atServer.addEventListener('abort', () => resolve());
  });
});

test('a call of an MCP tool ends at its time limit', async () => {
  await using given = await serve((server) => server.registerTool('wait', {}, () => new Promise(() => {})), {
    timeout: '20ms',
    prefix: 'files',
    permission: 'start',
  });

  const answer = await given.answer('files__wait', {});

  expect(answer).toEqual({ ok: false, error: expect.stringMatching(/timed? ?out/i) });
  expect(given.tools[0]?.permissions).toEqual(['start']);
});

test('fromMcpClient reads a changed list again', async () => {
  await using given = await serve((server) =>
    server.registerTool('read', path, () => ({ content: [{ type: 'text', text: 'hello' }] })),
  );
  const changed = new Promise<void>((resolve) =>
    given.client.setNotificationHandler('notifications/tools/list_changed', () => resolve()),
  );

  given.server.registerTool('write', path, () => ({ content: [] }));
  await changed;
  const tools = await fromMcpClient(given.client);

  expect(tools.map(({ name }) => name)).toEqual(['read', 'write']);
});

test('all pages of a list of MCP tools are read', async () => {
  const toPage = (tool: { name: string; title?: string }) => ({
    tools: [{ ...tool, inputSchema: { type: 'object' } }],
  });

  const tools = await fromMcpClient({
    listTools: async (params) =>
      params?.cursor === undefined
        ? { ...toPage({ name: 'a' }), nextCursor: '2' }
        : toPage({ name: 'b', title: 'B' }),
    callTool: async () => ({ content: [] }),
  });

  expect(tools.map(({ name, description }) => [name, description])).toEqual([
    ['a', 'a'],
    ['b', 'B'],
  ]);
});

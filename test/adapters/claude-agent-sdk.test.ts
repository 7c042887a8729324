import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { type ClaudeHookInput, createClaudeQueryParts } from '../../src/adapters/claude-agent-sdk.ts';
import { buildSchema, createFakeHost, noticeText, question } from './fake-host.ts';

type Name = 'PreToolUse' | 'UserPromptSubmit' | 'PostToolBatch' | 'Stop';

function arrange(options: Parameters<typeof createFakeHost>[0] = {}) {
  const fake = createFakeHost(options);
  const parts = createClaudeQueryParts(fake.host);
  const hook = (name: Name, more: Partial<ClaudeHookInput> = {}) =>
    parts.hooks[name][0]?.hooks[0]?.({ hook_event_name: name, ...more }, 'call_1');
  const connect = async () => {
    const { type, name, instance } = parts.mcpServers.troupe;
    const [here, there] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'test', version: '1' });
    await (instance as { connect(transport: unknown): Promise<void> }).connect(there);
    await client.connect(here);
    return { client, type, name };
  };
  return { ...fake, hook, connect };
}

const told = (hookEventName: Name) => ({
  hookSpecificOutput: { hookEventName, additionalContext: noticeText },
});

test.for(['UserPromptSubmit', 'PostToolBatch', 'Stop'] as const)('%s carries a notice', async (name) => {
  const { hook, wait } = arrange();
  expect(await hook(name)).toEqual({});
  wait('a', 'b');

  expect(await hook(name)).toEqual(told(name));
});

test('a notice is confirmed by the reply to it, once', async () => {
  const { hook, wait, confirmed } = arrange();
  wait('a', 'b');
  await hook('UserPromptSubmit');

  await hook('UserPromptSubmit');
  const again = [...confirmed];
  await hook('PostToolBatch');
  await hook('Stop');

  expect(again).toEqual([]);
  expect(confirmed.flat()).toEqual(['a', 'b']);
});

test('a subagent gets no notice, and confirms none', async () => {
  const { hook, wait, confirmed } = arrange();
  wait('a');
  await hook('PostToolBatch');
  const before = confirmed.length;

  expect(await hook('PostToolBatch', { agent_id: 'sub_1' })).toEqual({});
  expect(confirmed).toHaveLength(before);
});

test.for([
  [{ type: 'allow' }, { permissionDecision: 'allow' }],
  [
    { type: 'deny', reason: 'Denied.' },
    { permissionDecision: 'deny', permissionDecisionReason: 'Denied.' },
  ],
  [
    { type: 'ask', question },
    { permissionDecision: 'ask', permissionDecisionReason: 'May it build?' },
  ],
] as const)('the decision of the policy becomes that of the hook: %j', async ([decision, expected]) => {
  const { hook, judged } = arrange({ decision });

  const output = await hook('PreToolUse', { tool_name: 'mcp__troupe__build', tool_input: { target: 'all' } });

  expect(output).toEqual({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...expected } });
  expect(judged).toEqual([{ id: 'call_1', name: 'build', input: { target: 'all' } }]);
});

test.for(['Bash', 'xmcp__troupe__build', undefined])('the tool %s of others is not judged', async (name) => {
  const { hook, judged } = arrange({ decision: { type: 'deny', reason: 'Denied.' } });

  expect(await hook('PreToolUse', name === undefined ? {} : { tool_name: name })).toEqual({});
  expect(judged).toEqual([]);
});

test('the server lists the tools as always loaded', async () => {
  const { client, type, name } = await arrange().connect();

  const { tools } = await client.listTools();

  expect([type, name, client.getServerVersion()]).toEqual([
    'sdk',
    'troupe',
    { name: 'troupe', version: '0' },
  ]);
  expect(tools).toEqual([
    {
      name: 'build',
      title: 'Build',
      description: 'Builds a target.',
      inputSchema: buildSchema,
      annotations: expect.any(Object),
      _meta: { 'anthropic/alwaysLoad': true },
    },
  ]);
});

test.for([
  [{ ok: true, data: 7 }, '{"ok":true,"data":7}', false],
  [{ ok: false, error: 'Broken.' }, '{"ok":false,"error":"Broken."}', true],
] as const)('the server answers %j, with the consent of the hook', async ([answer, text, isError]) => {
  const { connect, calls } = arrange({ answer });
  const { client } = await connect();

  const result = await client.callTool({ name: 'build', arguments: { target: 'all' } });
  await client.callTool({ name: 'build' });

  expect(result).toMatchObject({ content: [{ type: 'text', text }], isError });
  expect(calls).toMatchObject([
    {
      request: { id: expect.stringMatching(/^\d+$/), name: 'build', input: { target: 'all' } },
      consent: true,
    },
    { request: { name: 'build', input: {} } },
  ]);
  expect(calls[0]?.signal).toBeInstanceOf(AbortSignal);
});

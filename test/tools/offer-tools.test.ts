import { expect, test } from 'vitest';
import { createPolicy } from '../../src/policy/create-policy.ts';
import { toInputSchema } from '../../src/tools/input-schema.ts';
import { narrowTool, offerTools } from '../../src/tools/offer-tools.ts';
import { toolSets } from '../../src/tools/tool-sets.ts';
import { allTools, arrange, errorOf } from './arrange.ts';

const [backgroundProcess] = toolSets.background_process;

test('a narrowed tool does not speak of what is denied', () => {
  const reading = narrowTool(backgroundProcess as never, (permission) =>
    ['list', 'status', 'output'].includes(permission),
  );

  const schema = toInputSchema(reading as never) as { properties: Record<string, { enum?: string[] }> };
  expect(schema.properties['action']?.enum).toEqual(['list', 'status', 'log', 'capture', 'watch', 'unwatch']);
  expect(Object.keys(schema.properties)).toEqual([
    'action',
    'handle',
    'offset',
    'limit',
    'scrollback_lines',
    'interval_seconds',
  ]);
  expect(reading?.description).not.toMatch(/spawn|kill|write/);
  expect(reading?.permissions).toEqual(['list', 'status', 'output']);
});

test('a tool without any remaining action is not offered', () => {
  const left = allTools.map((tool) => narrowTool(tool, () => false));

  expect(left.filter((tool) => tool !== null)).toEqual([]);
});

test('planning sees tools that read, and those that start commands', () => {
  const policy = createPolicy({ mode: 'plan' });

  const offered = offerTools(allTools, policy);

  const permissions = new Set(offered.flatMap((tool) => tool.permissions));
  for (const denied of ['kill', 'write', 'keys']) expect(permissions).not.toContain(denied);
  expect(offered.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['list_processes', 'wait_for', 'background_process', 'bg_output', 'process']),
  );
});

test('an action that was taken away is unknown, and denied', async () => {
  const policy = createPolicy({ mode: 'plan' });
  await using narrowed = arrange({ wiring: { policy, tools: offerTools(allTools, policy) } });
  await using whole = arrange({ wiring: { policy } });
  const call = { action: 'kill', handle: 'tool_a' };

  const unknown = await narrowed.call('background_process', call);
  const denied = await whole.call('background_process', call);

  expect(errorOf(unknown)).toContain('"action" is "kill"; expected one of ');
  expect(errorOf(denied)).toMatch(/denied/i);
  expect([...narrowed.backend.runs, ...whole.backend.runs]).toEqual([]);
});

test('an unrestricted policy offers all tools in order', () => {
  const offered = offerTools(allTools, createPolicy({ mode: 'dangerous' }));

  expect(offered.map(({ name }) => name)).toEqual(allTools.map(({ name }) => name));
});

test('options of a policy restrict calls and tools as the policy does', async () => {
  const policy = { mode: 'plan' } as const;
  await using given = arrange();

  const denied = await given.host({ policy }).call({ name: 'run_command', input: { command: 'make' } });

  expect(errorOf(denied.answer)).toMatch(/No tool starts a process in the mode plan/);
  expect(given.backend.runs).toEqual([]);
  expect(offerTools(allTools, policy).map(({ name }) => name)).toEqual(
    offerTools(allTools, createPolicy(policy)).map(({ name }) => name),
  );
});

import { expect, test } from 'vitest';
import {
  toConversationOptions,
  toMaxDepth,
  toPolicyOptions,
  toRunLimits,
  toSupervisorOptions,
} from '../../src/agents/agent-settings.ts';
import { checkDefinition } from '../../src/agents/parse-agent-file.ts';
import type { AgentDefinition } from '../../src/config/agent-file-schema.ts';

/** A definition as a file gives it. */
function define(settings: object = {}): AgentDefinition {
  const checked = checkDefinition({ name: 'a', model: 'scripted', ...settings });
  if (!checked.ok) throw new Error(checked.problems.map(({ text }) => text).join('\n'));
  return checked.value;
}

test('a definition without settings leaves all defaults', () => {
  expect(toSupervisorOptions(define())).toEqual({});
  expect(toPolicyOptions(define(), { directory: '/project' })).toEqual({ workspace: '/project' });
  expect(toConversationOptions(define())).toEqual({ retry: {} });
  expect(toRunLimits(define())).toEqual({ timeoutMs: 300_000, background: 'wait', waitMs: 60_000 });
});

test('settings of the supervisor come from several sections', () => {
  const definition = define({
    supervisor: { default_timeout: '10s', kill_grace: '2s' },
    tools: { modes: { run_command: 'background' }, timeouts: { run_command: '5s' } },
    delegation: { max_parallel_agents: 3 },
    secrets: { token: { env: 'TOKEN' } },
  });

  expect(toSupervisorOptions(definition)).toMatchObject({
    timeout: 10_000,
    killGrace: 2_000,
    modes: { run_command: 'background' },
    timeouts: { run_command: 5_000 },
    maxParallelAgents: 3,
    secrets: { token: { env: 'TOKEN' } },
  });
});

test('settings of the conversation come from several sections', () => {
  const definition = define({
    limits: { max_steps: 7, max_retries: 2, min_backoff: '500ms' },
    supervisor: { max_parallel_tools: 4 },
    context: { max_tokens: 1_000, max_messages: 50 },
  });

  expect(toConversationOptions(definition)).toEqual({
    ...{ maxSteps: 7, maxParallelTools: 4, maxContextTokens: 1_000, maxMessages: 50 },
    retry: { maxRetries: 2, minBackoff: 500 },
  });
});

test('limits of a run are those of the definition', () => {
  const limits = { max_run_time: '10s', background: 'kill', background_wait: '5s' };

  expect(toRunLimits(define({ limits }))).toEqual({ timeoutMs: 10_000, background: 'kill', waitMs: 5_000 });
});

test.for([
  [undefined, undefined, 5],
  [undefined, 7, 7],
  [3, undefined, 3],
  [3, 7, 3],
  [7, 3, 3],
] as const)('with %s from above and %s of its own the depth is %i', ([told, own, depth]) => {
  const definition = define(own === undefined ? {} : { delegation: { max_depth: own } });

  expect(toMaxDepth(definition, told)).toBe(depth);
});

const alone =
  'You work without a person: no question will be answered. Work with what you have been given, and finish with one answer that contains the whole result. Only this answer is read: if it depends on a process in the background, wait for the process before you answer.';
const names =
  'When a process asks for a password or a token, give it a secret by its name, with the field "secret" of the tools that write and type; ' +
  'you never see a value, and must not ask for one. The names: one, two.';
const secrets = { one: { env: 'ONE' }, two: { env: 'TWO' } };

test.for<readonly [settings: object, prompt: string]>([
  [{ system_prompt: '  Be brief.\n' }, 'Be brief.'],
  [{ type: 'execution' }, alone],
  [{ secrets }, names],
  [{ system_prompt: 'Be brief.', type: 'execution', secrets }, `Be brief.\n\n${alone}\n\n${names}`],
])('the system prompt of %j is composed', ([settings, prompt]) => {
  expect(toConversationOptions(define(settings)).systemPrompt).toBe(prompt);
});

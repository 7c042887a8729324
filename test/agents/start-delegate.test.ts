import { expect, test } from 'vitest';
import type { DelegationDeps } from '../../src/agents/delegation-deps.ts';
import { createDelegationTools } from '../../src/agents/delegation-tools.ts';
import { createRealClock } from '../../src/clock/real-clock.ts';
import { createPolicy } from '../../src/policy/create-policy.ts';
import { createGrants } from '../../src/policy/grant.ts';
import type { Policy, StartRequest } from '../../src/policy/policy.ts';
import { callTool } from '../../src/tools/call-tool.ts';
import type { Tool, ToolAnswer } from '../../src/tools/tool.ts';
import { createWorkingDirectory } from '../../src/tools/working-directory.ts';
import { createVirtualHarness } from '../support/virtual.ts';

/** Makes one call of `delegate_to_coder`; resolves when the tool has finished, even if the caller stopped waiting. */
async function delegateTo(
  mode: 'subprocess' | 'in_process',
  world: { readonly whileItPrepares?: () => void; readonly policy?: Policy; readonly signal?: AbortSignal },
) {
  const { supervisor } = createVirtualHarness();
  const definition = { name: 'coder', model: { provider: 'scripted' } };
  const ground: DelegationDeps = {
    definition: { ...definition, name: 'lead' },
    delegates: [definition],
    directory: '/',
    depth: 0,
    maxDepth: 5,
    env: {},
    execCommand: ['troupe'],
    asks: null,
    isNested: false,
    transcript: () => {
      world.whileItPrepares?.();
      return [];
    },
    runInProcess: async () => ({ ok: true, data: 'done' }),
  };
  const runs: Promise<ToolAnswer>[] = [];
  const tools = createDelegationTools(ground).map((tool) => remember(tool, runs));
  const call = { name: 'delegate_to_coder', input: { task: 'go', mode, background: true } };
  const answer = await callTool(call, {
    tools,
    supervisor,
    owner: 'lead',
    directory: createWorkingDirectory(supervisor.cwd),
    policy: world.policy ?? createPolicy({ mode: 'dangerous' }),
    ask: null,
    interrupt: new AbortController().signal,
    abandon: world.signal ?? new AbortController().signal,
    grants: createGrants(),
    notices: 'none',
    clock: createRealClock(),
  });
  await Promise.all(runs);
  return { supervisor, answer };
}

function remember(tool: Tool, runs: Promise<ToolAnswer>[]): Tool {
  return {
    ...tool,
    prepare: (given) => {
      const prepared = tool.prepare(given);
      if (!prepared.ok) return prepared;
      return {
        ...prepared,
        run: (context) => {
          const run = prepared.run(context);
          runs.push(run);
          return run;
        },
      };
    },
  };
}

test.each(['subprocess', 'in_process'] as const)(
  'a delegation whose caller is gone starts no agent: %s',
  async (mode) => {
    const closing = new AbortController();
    const { supervisor, answer } = await delegateTo(mode, {
      whileItPrepares: () => closing.abort(new Error('The conversation was closed.')),
      signal: closing.signal,
    });

    expect(answer).toEqual({ ok: false, error: 'The conversation was closed.' });
    expect(supervisor.list()).toEqual([]);
    await supervisor.shutdown();
  },
);

test('the policy prepares a delegate like any command', async () => {
  const asked: StartRequest[] = [];
  const policy: Policy = {
    ...createPolicy({ mode: 'dangerous' }),
    prepare: async (start) => {
      asked.push(start);
      const command = ['held', ...(start.command as readonly string[])] as const;
      return { command, env: {}, heldBy: 'sandbox', ended: () => {} };
    },
  };
  const { supervisor } = await delegateTo('subprocess', { policy });

  expect(supervisor.list()).toMatchObject([
    {
      owner: 'lead',
      kind: 'agent',
      commandLine: expect.stringMatching(/^troupe exec coder/),
      metadata: { agent: 'coder', task: 'go', workspaceHeldBy: 'sandbox' },
    },
  ]);
  // What the delegate starts is in the sandbox, not its own program, unless the policy requires that.
  expect(asked).toMatchObject([{ sandbox: false }]);
  await supervisor.shutdown();
});

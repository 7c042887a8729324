import { createPolicy } from '../../src/policy/create-policy.ts';
import { createGrants } from '../../src/policy/grant.ts';
import type { Script } from '../../src/testing/index.ts';
import { toPlainAnswer } from '../../src/tools/answer-text.ts';
import { type CallDeps, callTool } from '../../src/tools/call-tool.ts';
import type { Tool, ToolAnswer } from '../../src/tools/tool.ts';
import { createToolHost, type ToolHostOptions } from '../../src/tools/tool-host.ts';
import { toolSets } from '../../src/tools/tool-sets.ts';
import { createWorkingDirectory } from '../../src/tools/working-directory.ts';
import { waitUntil } from '../support/os.ts';
import { createVirtualHarness, turn, type VirtualOptions } from '../support/virtual.ts';

export const allTools: readonly Tool[] = Object.values(toolSets).flat();

/** A supervisor whose processes are played by hand, and tools that act for `agent` and may do everything. */
export function arrange(
  options: {
    script?: Script;
    /** Gives interactive processes a terminal. Default false. */
    terminal?: boolean;
    supervisor?: VirtualOptions;
    wiring?: Partial<CallDeps>;
  } = {},
) {
  const rig = createVirtualHarness({
    hasTerminal: options.terminal ?? false,
    ...(options.script !== undefined && { script: options.script }),
    ...options.supervisor,
  });
  const { clock, backend, supervisor } = rig;
  const interruption = new AbortController();
  const wiring: CallDeps = {
    tools: allTools,
    supervisor,
    owner: 'agent',
    directory: createWorkingDirectory(supervisor.cwd),
    policy: createPolicy({ mode: 'dangerous' }),
    ask: null,
    interrupt: interruption.signal,
    abandon: new AbortController().signal,
    grants: createGrants(),
    clock,
    notices: 'wake',
    ...options.wiring,
  };
  const call = (name: string, input: unknown = {}): Promise<ToolAnswer> => callTool({ name, input }, wiring);
  return {
    clock,
    backend,
    supervisor,
    wiring,
    interruption,
    call,
    host: (more: Partial<ToolHostOptions> = {}) =>
      createToolHost({ supervisor, owner: 'agent', policy: wiring.policy, clock, ...more }),
    callWithText: (name: string, argumentsText: string) => callTool({ name, input: argumentsText }, wiring),
    /** Makes a call and lets everything happen that needs no time; the call may still wait. */
    begin: async (name: string, input: unknown = {}) => {
      const pending = { isOver: false, answer: call(name, input) };
      void pending.answer.then(() => {
        pending.isOver = true;
      });
      await turns();
      return pending;
    },
    start: (
      command: string,
      more: { owner?: string; stdin?: 'pipe'; label?: string; interactive?: boolean } = {},
    ) => supervisor.start({ command, owner: 'agent', background: true, ...more }),
    /** The answer of a call that waits until a screen is quiet. */
    settle: async (pending: { isOver: boolean; answer: Promise<ToolAnswer> }) => {
      while (!pending.isOver) {
        clock.advance(50);
        await turns(1);
      }
      return pending.answer;
    },
    [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose](),
  };
}

/** Returns an answer as a model sees it. */
export function shown(answer: ToolAnswer) {
  return toPlainAnswer(answer);
}

/** The data of an answer that must be good. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what it knows to be there.
export function dataOf(answer: ToolAnswer): any {
  if (!answer.ok) throw new Error(`The answer is an error: ${answer.error}`);
  return answer.data;
}

export function errorOf(answer: ToolAnswer): string {
  if (answer.ok) throw new Error(`The answer is good: ${JSON.stringify(answer.data)}`);
  return answer.error;
}

/** Lets everything happen that needs no time, also between the parts of a call. */
export function turns(count = 3): Promise<void> {
  return turn(count);
}

export async function untilRuns(
  given: { backend: { runs: readonly unknown[] } },
  count: number,
): Promise<void> {
  await waitUntil(() => given.backend.runs.length === count);
}

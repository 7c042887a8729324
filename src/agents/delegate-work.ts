import type { Clock } from '../clock/clock.ts';
import type { AgentDefinition } from '../config/agent-file.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import { orInterrupted } from '../tools/interruption.ts';
import { isEnded } from '../tools/process-summary.ts';
import type { ToolAnswer, ToolContext } from '../tools/tool.ts';
import { buildContext } from './build-context.ts';
import { toDelegateAnswer, toRunningAnswer } from './delegate-answer.ts';
import type { DelegationGround } from './delegation-ground.ts';
import { canStartAgent, describeRefusedDepth } from './depth.ts';
import { startDelegate } from './start-delegate.ts';

/** One call of a tool that delegates. */
export interface DelegationRequest {
  readonly delegate: AgentDefinition;
  readonly task: string;
  /** What the model wants it to know beside the task. */
  readonly facts: readonly string[];
  readonly mode: 'subprocess' | 'in_process';
  readonly background: boolean;
  readonly timeoutMs: number;
}

/**
 * Gives work to a delegate and waits for its answer; at the time-out, and when nobody waits any more, it goes on in the background.
 *
 * @throws TroupeError as `Supervisor.start` does.
 */
export async function delegateWork(
  request: DelegationRequest,
  { ground, context }: { ground: DelegationGround; context: ToolContext },
): Promise<ToolAnswer> {
  const depth = ground.depth + 1;
  if (!canStartAgent(depth, ground.maxDepth))
    return { ok: false, error: describeRefusedDepth(ground.maxDepth) };
  const { definition } = ground;
  const facts = [...(definition.context?.facts ?? []), ...request.facts];
  const told = buildContext({ definition, transcript: ground.transcript(), facts, depth });
  // Who holds a slot and waits for another one may wait for itself: below the first agent nobody queues.
  const background = request.background || ground.isNested;
  const handle = await startDelegate({ ...request, context: told, background }, { ground, context });
  if (ground.isNested && isQueued(handle)) {
    await handle.kill({ by: 'supervisor' });
    return {
      ok: false,
      error:
        'All slots for agents are taken (max_parallel_agents), and this one must not wait for one of them.',
    };
  }
  if (request.background) return toRunningAnswer(handle.view(), 'Started.');
  const end: Promise<unknown> = ground.isNested
    ? untilEnd(handle, { timeoutMs: request.timeoutMs, clock: context.clock })
    : handle.result();
  const waited = await orInterrupted(end, context.interrupt);
  if (waited.type === 'interrupted') handle.background('owner');
  const view = isEnded(handle.view()) ? await handle.ended : handle.view();
  if (isEnded(view)) return toDelegateAnswer(handle, view);
  if (view.status === 'stopping') return toRunningAnswer(view, 'It is being stopped and is not gone yet.');
  return toRunningAnswer(view, waited.type === 'interrupted' ? 'Interrupted.' : 'It has not answered yet.');
}

function isQueued(handle: ProcessHandle): boolean {
  const view = handle.view();
  return view.status === 'pending' && view.queued;
}

/** Resolves at the end of the process, or when it has had its time. */
function untilEnd(
  handle: ProcessHandle,
  { timeoutMs, clock }: { timeoutMs: number; clock: Clock },
): Promise<void> {
  return new Promise((resolve) => {
    const disarm = clock.at(clock.nowMs() + timeoutMs, resolve);
    void handle.ended.then(() => {
      disarm();
      resolve();
    });
  });
}

import type { ToolCall } from '../models/chat-model.ts';
import { type CallOptions, callTool, isWaitingCall } from '../tools/call-tool.ts';
import type { ToolAnswer } from '../tools/tool.ts';
import type { CallGuards } from './call-guards.ts';

export interface RunCallsDeps {
  readonly callDeps: CallOptions;
  readonly guards: CallGuards;
  readonly maxParallelTools: number;
  onCalled(call: ToolCall): void;
  /** Called once for each call, in the order in which they end. */
  onAnswered(call: ToolCall, answer: ToolAnswer): void;
}

/** Makes the calls of one step in order, a limited number at once. Resolves when each has its answer; never rejects. */
export async function runCalls(calls: readonly ToolCall[], each: RunCallsDeps): Promise<void> {
  const waiting = [...calls];
  const runNext = async (): Promise<void> => {
    for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) {
      each.onAnswered(call, await runCall(call, each));
    }
  };
  await Promise.all(Array.from({ length: Math.min(each.maxParallelTools, calls.length) }, runNext));
}

async function runCall(call: ToolCall, { callDeps, guards, onCalled }: RunCallsDeps): Promise<ToolAnswer> {
  onCalled(call);
  if (callDeps.interrupt.aborted) {
    return { ok: false, error: 'The turn was interrupted before this call was made.' };
  }
  const advice = guards.advise(call, { waits: isWaitingCall(call, callDeps.tools) });
  if (advice !== null) return advice;
  const answer = await callTool(call, callDeps);
  guards.note(call, answer);
  return answer;
}

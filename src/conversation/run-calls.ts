import type { ToolCall } from '../models/chat-model.ts';
import { toAnswerText } from '../tools/answer-text.ts';
import { isWaitingCall } from '../tools/call-tool.ts';
import type { ToolAnswer } from '../tools/tool.ts';
import type { AnsweredCall, ToolCallOptions, ToolHost } from '../tools/tool-host.ts';
import type { CallGuards } from './call-guards.ts';

export interface RunCallsDeps {
  readonly host: ToolHost;
  readonly signals: Required<Pick<ToolCallOptions, 'waitSignal' | 'abandonSignal'>> & {
    readonly signal: AbortSignal;
  };
  readonly guards: CallGuards;
  readonly maxParallelTools: number;
  onCalled(call: ToolCall): void;
  /** Called once for each call, in the order in which they end. */
  onAnswered(call: ToolCall, answered: AnsweredCall): void;
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

async function runCall(
  call: ToolCall,
  { host, signals, guards, onCalled }: RunCallsDeps,
): Promise<AnsweredCall> {
  onCalled(call);
  if (signals.signal.aborted) {
    return answerUnmade({ ok: false, error: 'The turn was interrupted before this call was made.' });
  }
  const request = { id: call.id, name: call.name, input: call.argumentsText };
  const advice = guards.advise(call, { waits: isWaitingCall(request, host.tools) });
  if (advice !== null) return answerUnmade(advice);
  const answered = await host.call(request, signals);
  guards.note(call, answered.answer);
  return answered;
}

/** Answers a call that was not made. */
function answerUnmade(answer: ToolAnswer): AnsweredCall {
  return { answer, text: toAnswerText(answer), recorded: () => {}, dropped: () => {} };
}

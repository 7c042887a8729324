import type { ConversationFact } from '../../machines/conversation/events.ts';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { ChatMessage, ToolCall } from '../models/chat-model.ts';
import type { AnsweredCall, ToolHost } from '../tools/tool-host.ts';
import { type CallGuards, createCallGuards } from './call-guards.ts';
import type { ConversationEvent } from './conversation-event.ts';
import type { Memory } from './memory.ts';
import { openCalls } from './replay.ts';
import { runCalls } from './run-calls.ts';

/** The time an interrupted call has to answer with how far it is. */
const MAX_INTERRUPTION_MS = 2_000;

/** Makes the calls of the last reply and records each result as soon as it arrives. */
export interface ToolRunner {
  /** Begins a new turn: the guards forget what the model has tried. */
  reset(): void;
  /** Notes that something was delivered, so that the same call may have another result. */
  noteDelivery(): void;
  /** Starts the open calls. Sends `calls.settled` when all results are in the transcript. */
  begin(options: { readonly mayWait: boolean }): void;
  interruptWaits(): void;
  interruptAll(): void;
  /** Interrupts all calls. Resolves when each has its result, which is soon. */
  end(): Promise<void>;
}

interface Step {
  readonly interrupt: AbortController;
  readonly interruptWait: AbortController;
  readonly giveUp: AbortController;
  cancelGiveUp: Cancel;
  settled: Promise<void>;
}

export function createToolRunner(deps: {
  readonly host: ToolHost;
  readonly maxParallelTools: number;
  readonly memory: Memory;
  readonly clock: Clock;
  emit(event: ConversationEvent): void;
  tell(fact: ConversationFact): void;
  report(error: unknown): void;
}): ToolRunner {
  const { host, memory, clock, emit, tell, report } = deps;
  let guards: CallGuards = createCallGuards();
  let step: Step | null = null;

  const answer = (call: ToolCall, { answer: given, text, recorded }: AnsweredCall) => {
    const message: ChatMessage = { role: 'tool', callId: call.id, name: call.name, text };
    const revealed = given.reveals ?? [];
    const withdrawn = memory.answer(message, revealed);
    recorded();
    emit({ type: 'tool.answered', call, answer: given });
    for (const completionId of withdrawn) emit({ type: 'notice.withdrawn', completionId });
    return revealed;
  };

  const makeCalls = async (current: Step) => {
    const calls = openCalls(memory.transcript);
    const revealed: string[] = [];
    await runCalls(calls, {
      host,
      signals: {
        signal: current.interrupt.signal,
        waitSignal: current.interruptWait.signal,
        abandonSignal: current.giveUp.signal,
      },
      guards,
      maxParallelTools: deps.maxParallelTools,
      onCalled: (call) => emit({ type: 'tool.called', call }),
      onAnswered: (call, given) => void revealed.push(...answer(call, given)),
    });
    current.cancelGiveUp();
    step = null;
    for (const message of memory.transcript.slice(-calls.length)) emit({ type: 'message.recorded', message });
    tell({ type: 'calls.settled', revealed });
  };

  const interruptWaits = () => step?.interruptWait.abort(new Error('A message has arrived meanwhile.'));

  const interruptAll = () => {
    if (step === null) return;
    const { interrupt, giveUp } = step;
    interrupt.abort(new Error('The turn was interrupted.'));
    step.cancelGiveUp();
    step.cancelGiveUp = clock.at(clock.nowMs() + MAX_INTERRUPTION_MS, () =>
      giveUp.abort(new Error('The turn was interrupted before there was an answer.')),
    );
  };

  return {
    reset: () => {
      guards = createCallGuards();
    },
    noteDelivery: () => guards.noteDelivery(),
    begin: ({ mayWait }) => {
      step = {
        interrupt: new AbortController(),
        interruptWait: new AbortController(),
        giveUp: new AbortController(),
        cancelGiveUp: () => {},
        settled: Promise.resolve(),
      };
      if (!mayWait) interruptWaits();
      step.settled = makeCalls(step).catch(report);
    },
    interruptWaits,
    interruptAll,
    end: async () => {
      const current = step;
      current?.interrupt.abort(new Error('The conversation was closed.'));
      current?.giveUp.abort(new Error('The conversation was closed before there was an answer.'));
      await current?.settled;
    },
  };
}

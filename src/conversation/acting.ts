import type { ConversationFact } from '../../machines/conversation/events.ts';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { ChatMessage, ToolCall } from '../models/chat-model.ts';
import { confirmRecorded, toAnswerText } from '../tools/answer-text.ts';
import type { CallWiring } from '../tools/call-tool.ts';
import type { ToolAnswer } from '../tools/tool.ts';
import { type CallGuards, createCallGuards } from './call-guards.ts';
import type { ConversationEvent } from './conversation-event.ts';
import type { Memory } from './memory.ts';
import { openCalls } from './replay.ts';
import { runCalls } from './run-calls.ts';

/** How long an interrupted call may take to say how far it is. */
const MAX_INTERRUPTION_MS = 2_000;

/** Makes the calls of the last reply, and records each result as soon as it is there. */
export interface Acting {
  /** A new turn: what a model has tried before is forgotten. */
  reset(): void;
  /** Something was delivered. */
  noteNews(): void;
  /** Tells `calls.settled` when all results are in the transcript. */
  begin(options: { readonly mayWait: boolean }): void;
  interruptWaits(): void;
  interruptAll(): void;
  /** Resolves when each call has its result, soon. */
  end(): Promise<void>;
}

interface Step {
  readonly interrupt: AbortController;
  readonly interruptWait: AbortController;
  readonly giveUp: AbortController;
  cancelGiveUp: Cancel;
  settled: Promise<void>;
}

export function createActing(world: {
  readonly wiring: Omit<CallWiring, 'interrupt' | 'interruptWait' | 'signal'>;
  readonly maxParallelTools: number;
  readonly memory: Memory;
  readonly clock: Clock;
  emit(event: ConversationEvent): void;
  tell(fact: ConversationFact): void;
  report(error: unknown): void;
}): Acting {
  const { wiring, memory, clock, emit, tell, report } = world;
  let guards: CallGuards = createCallGuards();
  let step: Step | null = null;

  const answer = (call: ToolCall, given: ToolAnswer) => {
    const message: ChatMessage = {
      role: 'tool',
      callId: call.id,
      name: call.name,
      text: toAnswerText(given),
    };
    const revealed = given.reveals ?? [];
    const withdrawn = memory.answer(message, revealed);
    confirmRecorded(given);
    emit({ type: 'tool.answered', call, answer: given });
    for (const completionId of withdrawn) emit({ type: 'notice.withdrawn', completionId });
    return revealed;
  };

  const makeCalls = async (current: Step) => {
    const calls = openCalls(memory.transcript);
    const revealed: string[] = [];
    await runCalls(calls, {
      wiring: {
        ...wiring,
        notices: 'wake',
        interrupt: current.interrupt.signal,
        interruptWait: current.interruptWait.signal,
        signal: current.giveUp.signal,
      },
      guards,
      maxParallelTools: world.maxParallelTools,
      onCalled: (call) => emit({ type: 'tool.called', call }),
      onAnswered: (call, given) => void revealed.push(...answer(call, given)),
    });
    current.cancelGiveUp();
    step = null;
    for (const message of memory.transcript.slice(-calls.length)) emit({ type: 'message.recorded', message });
    tell({ type: 'calls.settled', revealed });
  };

  const interruptWaits = () => step?.interruptWait.abort(new Error('Something was said meanwhile.'));

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
    noteNews: () => guards.noteNews(),
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

import type {
  ConversationEvent as ChartEvent,
  ConversationDeadlineName,
} from '../../machines/conversation/events.ts';
import { conversationMachine } from '../../machines/conversation/machine.ts';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { Compactor } from './compactor.ts';
import type { ConversationEvent } from './conversation-event.ts';
import type { ModelRunner } from './model-runner.ts';
import type { OwnProcesses } from './own-processes.ts';
import type { ToolRunner } from './tool-runner.ts';
import type { Turns } from './turns.ts';

export interface EffectDeps {
  readonly clock: Clock;
  readonly modelRunner: ModelRunner;
  readonly toolRunner: ToolRunner;
  readonly compactor: Compactor;
  readonly turns: Turns;
  readonly own: OwnProcesses;
  /** Returns whether no process is left to wait for. */
  areGone(): boolean;
  /** The owner that inherits processes at the end. */
  readonly newOwner: string | null;
  /** Breaks the conversation: after an effect that threw, its state cannot be trusted. */
  report(error: unknown): void;
  emit(event: ConversationEvent): void;
  send(event: ChartEvent): void;
}

/** Provides the effects that the chart of a conversation names. An effect that throws breaks this conversation only. */
export function provideConversationEffects(deps: EffectDeps): typeof conversationMachine {
  const { clock, modelRunner, toolRunner, compactor, turns, own, newOwner, emit, send, report } = deps;
  const deadlines = new Map<ConversationDeadlineName, Cancel>();

  const guarded =
    <Args extends readonly unknown[]>(effect: (...args: Args) => void) =>
    (...args: Args) => {
      try {
        effect(...args);
      } catch (error) {
        report(error);
      }
    };

  /** Takes every step, also after one that fails. */
  const shutDown = async () => {
    const steps = [
      () => toolRunner.end(),
      () => turns.end('closed'),
      () => own.release(newOwner),
      () => turns.settleAll(),
    ];
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        report(error);
      }
    }
    // After the reports.
    queueMicrotask(() => send({ type: 'conversation.closed' }));
  };

  return conversationMachine.provide({
    actions: {
      gather: () => void setImmediate(() => send({ type: 'mailbox.gathered' })),
      announceTurn: guarded(() => {
        toolRunner.reset();
        modelRunner.reset();
        turns.begin();
      }),
      endTurn: guarded((_, { end }) => turns.end(end)),
      deliver: guarded((_, { ids }) => {
        if (ids.length > 0) toolRunner.noteDelivery();
        turns.deliver(ids);
      }),
      callModel: guarded((_, call) => modelRunner.begin(call)),
      stopModel: guarded(() => modelRunner.stop()),
      compact: guarded((_, { because }) => compactor.begin(because)),
      stopCompacting: guarded(() => compactor.stop()),
      runCalls: guarded((_, { mayWait }) => toolRunner.begin({ mayWait })),
      interruptWaits: guarded(() => toolRunner.interruptWaits()),
      interruptCalls: guarded(() => toolRunner.interruptAll()),
      watchProcesses: guarded(() => {
        if (deps.areGone()) queueMicrotask(() => send({ type: 'processes.gone' }));
      }),
      shutDown: () => void shutDown(),
      announceRetry: guarded((_, { attempt, afterMs }) =>
        emit({ type: 'model.failed', error: modelRunner.failure, attempt, inMs: afterMs }),
      ),
      armDeadline: guarded((_, { deadline, afterMs }) => {
        deadlines.get(deadline)?.();
        const reached = () => send({ type: `deadline.${deadline}` });
        deadlines.set(deadline, clock.at(clock.nowMs() + afterMs, reached));
      }),
      disarmDeadline: guarded((_, { deadline }) => {
        deadlines.get(deadline)?.();
        deadlines.delete(deadline);
      }),
    },
  });
}

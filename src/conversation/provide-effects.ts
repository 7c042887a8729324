import type {
  ConversationEvent as ChartEvent,
  ConversationDeadlineName,
} from '../../machines/conversation/events.ts';
import { conversationMachine } from '../../machines/conversation/machine.ts';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { Acting } from './acting.ts';
import type { Compacting } from './compacting.ts';
import type { ConversationEvent } from './conversation-event.ts';
import type { OwnProcesses } from './own-processes.ts';
import type { Speaking } from './speaking.ts';
import type { Turns } from './turns.ts';

export interface EffectWorld {
  readonly clock: Clock;
  readonly speaking: Speaking;
  readonly acting: Acting;
  readonly compacting: Compacting;
  readonly turns: Turns;
  readonly own: OwnProcesses;
  /** Who inherits at the end. */
  readonly heir: string | null;
  /** An effect threw: nothing that follows could be trusted. */
  report(error: unknown): void;
  emit(event: ConversationEvent): void;
  send(event: ChartEvent): void;
}

/** Fills in what the chart of a conversation only names. An effect that throws breaks this conversation and nothing else. */
export function provideConversationEffects(world: EffectWorld): typeof conversationMachine {
  const { clock, speaking, acting, compacting, turns, own, heir, emit, send, report } = world;
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

  /** Each step is taken, whatever becomes of the ones before. */
  const shutDown = async () => {
    const steps = [
      () => acting.end(),
      () => turns.end('closed'),
      () => own.release(heir),
      () => turns.settleAll(),
    ];
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        report(error);
      }
    }
    // Behind what was reported.
    queueMicrotask(() => send({ type: 'conversation.closed' }));
  };

  return conversationMachine.provide({
    actions: {
      gather: () => void setImmediate(() => send({ type: 'inbox.gathered' })),
      announceTurn: guarded(() => {
        acting.reset();
        speaking.reset();
        turns.begin();
      }),
      endTurn: guarded((_, { end }) => turns.end(end)),
      deliver: guarded((_, { ids }) => {
        if (ids.length > 0) acting.noteNews();
        turns.deliver(ids);
      }),
      callModel: guarded((_, call) => speaking.begin(call)),
      stopModel: guarded(() => speaking.stop()),
      compact: guarded((_, { because }) => compacting.begin(because)),
      stopCompacting: guarded(() => compacting.stop()),
      runCalls: guarded((_, { mayWait }) => acting.begin({ mayWait })),
      interruptWaits: guarded(() => acting.interruptWaits()),
      interruptCalls: guarded(() => acting.interruptAll()),
      watchProcesses: guarded(() => {
        if (own.areGone) queueMicrotask(() => send({ type: 'processes.gone' }));
      }),
      shutDown: () => void shutDown(),
      announceRetry: guarded((_, { attempt, afterMs }) =>
        emit({ type: 'model.failed', error: speaking.failure, attempt, inMs: afterMs }),
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

import { assign, setup } from 'xstate';
import { unfilled } from '../unfilled.ts';
import {
  type ConversationContext,
  type ConversationInput,
  createConversationContext,
  hasWordToHear,
  isCalled,
  isWorthRetrying,
  nextDelivery,
  type TurnEnd,
  takeOut,
} from './context.ts';
import type { CompactionReason, ConversationDeadlineName, ConversationEvent } from './events.ts';

export const conversationSetup = setup({
  types: {
    context: {} as ConversationContext,
    events: {} as ConversationEvent,
    input: {} as ConversationInput,
  },
  actions: {
    /** Answers `inbox.gathered` once this turn of the event loop is over. */
    gather: () => unfilled('gather'),
    announceTurn: () => unfilled('announceTurn'),
    endTurn: (_, _turn: { end: TurnEnd }) => unfilled('endTurn'),
    /** Puts these entries of the inbox at the end of the transcript, in one step that a crash cannot divide. */
    deliver: (_, _delivery: { ids: readonly string[] }) => unfilled('deliver'),
    /** Answers `model.replied`, `model.failed` or `context.exceeded`; by the limit only where it `mayCompact`. */
    callModel: (_, _call: { mayCompact: boolean }) => unfilled('callModel'),
    /** Nobody wants its reply any more. */
    stopModel: () => unfilled('stopModel'),
    /** Makes the transcript shorter; answers `compaction.settled`. */
    compact: (_, _compaction: { because: CompactionReason }) => unfilled('compact'),
    /** The transcript stays as it is. */
    stopCompacting: () => unfilled('stopCompacting'),
    /**
     * Makes the calls of the last reply; answers `calls.settled` when each has its result in the transcript. Where something was
     * said already, no call waits.
     */
    runCalls: (_, _order: { mayWait: boolean }) => unfilled('runCalls'),
    /** Calls that wait answer with how far they are. Nothing is ended by it. */
    interruptWaits: () => unfilled('interruptWaits'),
    /** The same for all calls, and soon. */
    interruptCalls: () => unfilled('interruptCalls'),
    /** Answers `processes.gone`, now or later. */
    watchProcesses: () => unfilled('watchProcesses'),
    /** Ends what still runs of the turn, and the processes as their lifetime says; answers `conversation.closed`. */
    wrapUp: () => unfilled('wrapUp'),
    /** The model is asked again after a pause. */
    announceRetry: (_, _retry: { attempt: number; afterMs: number }) => unfilled('announceRetry'),
    armDeadline: (_, _order: { deadline: ConversationDeadlineName; afterMs: number }) =>
      unfilled('armDeadline'),
    disarmDeadline: (_, _order: { deadline: ConversationDeadlineName }) => unfilled('disarmDeadline'),

    takeIn: assign(({ context, event }) =>
      event.type === 'inbox.arrived' ? { inbox: [...context.inbox, event.item] } : {},
    ),
    withdraw: assign(({ context, event }) => {
      if (event.type !== 'calls.settled' && event.type !== 'inbox.withdrawn') return {};
      const gone = new Set(event.type === 'calls.settled' ? event.revealed : event.ids);
      return { inbox: context.inbox.filter(({ id }) => !gone.has(id)) };
    }),
    takeOut: assign(({ context }) => takeOut(context, nextDelivery(context))),
    resetTurn: assign({
      steps: 0,
      noticeDeliveries: 0,
      failures: 0,
      compactions: 0,
      hasWord: false,
      isUnfinished: false,
    }),
    countStep: assign({ steps: ({ context }) => context.steps + 1, failures: 0, compactions: 0 }),
    countCompaction: assign({ compactions: ({ context }) => context.compactions + 1 }),
    countFailure: assign(({ context, event }) =>
      event.type === 'model.failed'
        ? { failures: context.failures + 1, retryAfterMs: event.retryAfterMs }
        : {},
    ),
    endWithProcesses: assign({ ending: 'withProcesses' }),
    endNow: assign({ ending: 'now' }),
    recordBreak: assign({ isBroken: true }),
  },
  guards: {
    isCalled: ({ context }) => isCalled(context),
    isWord: ({ event }) => event.type === 'inbox.arrived' && event.item.kind === 'message',
    /** No person has waited so far, and the endpoint has not asked for a pause. */
    isFirstWord: ({ context, event }) =>
      event.type === 'inbox.arrived' &&
      event.item.kind === 'message' &&
      !context.hasWord &&
      context.retryAfterMs === null,
    hasCalls: ({ event }) => event.type === 'model.replied' && event.calls > 0,
    hasStepLeft: ({ context }) => context.steps < context.limits.maxSteps,
    hasMoreToHear: ({ context }) => hasWordToHear(context) && context.steps < context.limits.maxSteps,
    isWorthRetrying: ({ context, event }) =>
      event.type === 'model.failed' && event.isRetryable && isWorthRetrying(context),
    canCompact: ({ context }) => context.compactions < context.limits.maxCompactions,
    isWorthAsking: ({ event }) => event.type === 'compaction.settled' && event.isWorthAsking,
    isEndingUnheard: ({ context }) => context.ending === 'now' && !context.hasWord,
    isEndingWithProcesses: ({ context }) => context.ending === 'withProcesses',
    isEndingNow: ({ context }) => context.ending === 'now',
    isBroken: ({ context }) => context.isBroken,
  },
});

export { createConversationContext };

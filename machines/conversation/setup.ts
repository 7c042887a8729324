import { assign, setup } from 'xstate';
import { notProvided } from '../not-provided.ts';
import {
  type ConversationContext,
  type ConversationInput,
  createConversationContext,
  hasPendingMessage,
  hasReasonToWake,
  isWorthRetrying,
  nextDelivery,
  removeDelivered,
  type TurnEnd,
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
    gather: () => notProvided('gather'),
    announceTurn: () => notProvided('announceTurn'),
    endTurn: (_, _turn: { end: TurnEnd }) => notProvided('endTurn'),
    /** Puts these entries of the inbox at the end of the transcript, in one step that a crash cannot divide. */
    deliver: (_, _delivery: { ids: readonly string[] }) => notProvided('deliver'),
    /** Answers `model.replied`, `model.failed` or `context.exceeded`; by the limit only where it `mayCompact`. */
    callModel: (_, _call: { mayCompact: boolean }) => notProvided('callModel'),
    /** Nobody wants its reply any more. */
    stopModel: () => notProvided('stopModel'),
    /** Makes the transcript shorter; answers `compaction.settled`. */
    compact: (_, _compaction: { because: CompactionReason }) => notProvided('compact'),
    /** The transcript stays as it is. */
    stopCompacting: () => notProvided('stopCompacting'),
    /**
     * Makes the calls of the last reply; answers `calls.settled` when each has its result in the transcript. Where something was
     * said already, no call waits.
     */
    runCalls: (_, _order: { mayWait: boolean }) => notProvided('runCalls'),
    /** Calls that wait answer with how far they are. Nothing is ended by it. */
    interruptWaits: () => notProvided('interruptWaits'),
    /** The same for all calls, and soon. */
    interruptCalls: () => notProvided('interruptCalls'),
    /** Answers `processes.gone`, now or later. */
    watchProcesses: () => notProvided('watchProcesses'),
    /** Ends what still runs of the turn, and the processes as their lifetime says; answers `conversation.closed`. */
    shutDown: () => notProvided('shutDown'),
    /** The model is asked again after a pause. */
    announceRetry: (_, _retry: { attempt: number; afterMs: number }) => notProvided('announceRetry'),
    armDeadline: (_, _order: { deadline: ConversationDeadlineName; afterMs: number }) =>
      notProvided('armDeadline'),
    disarmDeadline: (_, _order: { deadline: ConversationDeadlineName }) => notProvided('disarmDeadline'),

    addToInbox: assign(({ context, event }) =>
      event.type === 'inbox.arrived' ? { inbox: [...context.inbox, event.item] } : {},
    ),
    withdraw: assign(({ context, event }) => {
      if (event.type !== 'calls.settled' && event.type !== 'inbox.withdrawn') return {};
      const gone = new Set(event.type === 'calls.settled' ? event.revealed : event.ids);
      return { inbox: context.inbox.filter(({ id }) => !gone.has(id)) };
    }),
    removeDelivered: assign(({ context }) => removeDelivered(context, nextDelivery(context))),
    resetTurn: assign({
      steps: 0,
      noticeDeliveries: 0,
      failures: 0,
      compactions: 0,
      hasUserMessage: false,
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
    hasReasonToWake: ({ context }) => hasReasonToWake(context),
    isMessage: ({ event }) => event.type === 'inbox.arrived' && event.item.kind === 'message',
    /** No person has waited so far, and the endpoint has not asked for a pause. */
    isFirstMessage: ({ context, event }) =>
      event.type === 'inbox.arrived' &&
      event.item.kind === 'message' &&
      !context.hasUserMessage &&
      context.retryAfterMs === null,
    hasCalls: ({ event }) => event.type === 'model.replied' && event.calls > 0,
    hasStepLeft: ({ context }) => context.steps < context.limits.maxSteps,
    hasMoreMessages: ({ context }) => hasPendingMessage(context) && context.steps < context.limits.maxSteps,
    isWorthRetrying: ({ context, event }) =>
      event.type === 'model.failed' && event.isRetryable && isWorthRetrying(context),
    canCompact: ({ context }) => context.compactions < context.limits.maxCompactions,
    isWorthAsking: ({ event }) => event.type === 'compaction.settled' && event.isWorthAsking,
    isEndingUnattended: ({ context }) => context.ending === 'now' && !context.hasUserMessage,
    isEndingWithProcesses: ({ context }) => context.ending === 'withProcesses',
    isEndingNow: ({ context }) => context.ending === 'now',
    isBroken: ({ context }) => context.isBroken,
  },
});

export { createConversationContext };

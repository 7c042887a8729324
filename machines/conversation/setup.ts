import { assign, setup } from 'xstate';
import { notProvided } from '../not-provided.ts';
import {
  type ConversationContext,
  type ConversationInput,
  createConversationContext,
  type TurnEnd,
} from './context.ts';
import { hasPendingMessage, hasReasonToWake, nextDelivery, removeDelivered } from './delivery.ts';
import type { CompactionReason, ConversationDeadlineName, ConversationEvent } from './events.ts';
import { isWorthRetrying } from './model-retry.ts';

export const conversationSetup = setup({
  types: {
    context: {} as ConversationContext,
    events: {} as ConversationEvent,
    input: {} as ConversationInput,
  },
  actions: {
    /** Reports `mailbox.gathered` once this turn of the event loop is over. */
    gather: () => notProvided('gather'),
    announceTurn: () => notProvided('announceTurn'),
    endTurn: (_, _turn: { end: TurnEnd }) => notProvided('endTurn'),
    /** Appends these entries of the mailbox to the transcript, in one atomic step. */
    deliver: (_, _delivery: { ids: readonly string[] }) => notProvided('deliver'),
    /** Reports `model.replied`, `model.failed` or `context.exceeded`; by the conversation's own limit only where it `mayCompact`. */
    callModel: (_, _call: { mayCompact: boolean }) => notProvided('callModel'),
    /** Aborts the model call; its reply is ignored. */
    stopModel: () => notProvided('stopModel'),
    /** Compacts the transcript; reports `compaction.settled`. */
    compact: (_, _compaction: { because: CompactionReason }) => notProvided('compact'),
    /** Aborts the compaction; the transcript stays as it is. */
    stopCompacting: () => notProvided('stopCompacting'),
    /**
     * Runs the calls of the last reply; reports `calls.settled` when each has its result in the transcript. Without `mayWait`, no
     * call waits.
     */
    runCalls: (_, _order: { mayWait: boolean }) => notProvided('runCalls'),
    /** Makes waiting calls return their progress so far. Ends no process. */
    interruptWaits: () => notProvided('interruptWaits'),
    /** Interrupts all calls, which return soon. */
    interruptCalls: () => notProvided('interruptCalls'),
    /** Reports `processes.gone`, now or later. */
    watchProcesses: () => notProvided('watchProcesses'),
    /** Ends the rest of the turn, and the processes according to their lifetime; reports `conversation.closed`. */
    shutDown: () => notProvided('shutDown'),
    /** Announces that the model is called again after a pause. */
    announceRetry: (_, _retry: { attempt: number; afterMs: number }) => notProvided('announceRetry'),
    armDeadline: (_, _order: { deadline: ConversationDeadlineName; afterMs: number }) =>
      notProvided('armDeadline'),
    disarmDeadline: (_, _order: { deadline: ConversationDeadlineName }) => notProvided('disarmDeadline'),

    addToMailbox: assign(({ context, event }) =>
      event.type === 'mailbox.arrived' ? { mailbox: [...context.mailbox, event.item] } : {},
    ),
    withdraw: assign(({ context, event }) => {
      if (event.type !== 'calls.settled' && event.type !== 'mailbox.withdrawn') return {};
      const gone = new Set(event.type === 'calls.settled' ? event.revealed : event.ids);
      return { mailbox: context.mailbox.filter(({ id }) => !gone.has(id)) };
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
    isMessage: ({ event }) => event.type === 'mailbox.arrived' && event.item.kind === 'message',
    /** True while no person has waited in this turn and the endpoint has not asked for a pause. */
    isFirstMessage: ({ context, event }) =>
      event.type === 'mailbox.arrived' &&
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

import type { EventFromLogic, SnapshotFrom } from 'xstate';
import type {
  ConversationContext,
  ConversationInput,
  MailboxItem,
} from '../../machines/conversation/context.ts';
import { conversationMachine } from '../../machines/conversation/machine.ts';
import { type GeneratedPath, generatePaths } from '../../src/testing/paths/generate-paths.ts';

export type ConversationState = SnapshotFrom<typeof conversationMachine>;
export type ConversationModelEvent = EventFromLogic<typeof conversationMachine>;
export type ConversationPath = GeneratedPath<typeof conversationMachine>;

/** Pause asked for by the endpoint; other pauses are shorter than the wait at the end. */
const LONG_PAUSE_MS = 5_000;
export const BACKOFF_MS = 100;
export const WAIT_MS = 1_000;

/** Chart without effects: the model that real conversations are compared with. */
export const conversationModel = conversationMachine.provide({
  actions: {
    gather: () => {},
    announceTurn: () => {},
    endTurn: () => {},
    deliver: () => {},
    callModel: () => {},
    stopModel: () => {},
    compact: () => {},
    stopCompacting: () => {},
    runCalls: () => {},
    interruptWaits: () => {},
    interruptCalls: () => {},
    watchProcesses: () => {},
    shutDown: () => {},
    announceRetry: () => {},
    armDeadline: () => {},
    disarmDeadline: () => {},
  },
});

const aside: MailboxItem = { id: 'aside', kind: 'notice', attention: 'context' };
/** One retry while a person waits; others differ by number only and are walked by `retry.test.ts`. */
const limits = {
  maxSteps: 2,
  maxRetries: 0,
  maxNoticeRetries: 1,
  minBackoffMs: BACKOFF_MS,
  maxBackoffMs: 30_000,
  maxNoticeBackoffMs: 300_000,
  maxCompactions: 1,
};

/** Starting points of a conversation: a new one, or what a journal holds. */
export const conversationInputs: readonly ConversationInput[] = [
  { limits, mailbox: [], isUnfinished: false },
  { limits, mailbox: [aside], isUnfinished: true },
];

/** Every event with every payload that the chart distinguishes. */
export const conversationEvents: readonly ConversationModelEvent[] = [
  { type: 'mailbox.arrived', item: { id: 'message', kind: 'message', attention: 'turn' } },
  { type: 'mailbox.arrived', item: { id: 'news', kind: 'notice', attention: 'turn' } },
  { type: 'mailbox.arrived', item: aside },
  { type: 'mailbox.withdrawn', ids: ['news'] },
  { type: 'mailbox.gathered' },
  { type: 'model.replied', calls: 0 },
  { type: 'model.replied', calls: 2 },
  { type: 'model.failed', isRetryable: false, retryAfterMs: null },
  { type: 'model.failed', isRetryable: true, retryAfterMs: null },
  { type: 'model.failed', isRetryable: true, retryAfterMs: LONG_PAUSE_MS },
  { type: 'context.exceeded', by: 'model' },
  { type: 'compaction.settled', isWorthAsking: true },
  { type: 'compaction.settled', isWorthAsking: false },
  { type: 'calls.settled', revealed: [] },
  { type: 'calls.settled', revealed: ['news'] },
  { type: 'processes.gone' },
  { type: 'turn.interrupt' },
  { type: 'conversation.compact' },
  { type: 'conversation.finish', waitMs: WAIT_MS },
  { type: 'conversation.close' },
  { type: 'conversation.broke' },
  { type: 'conversation.closed' },
  { type: 'deadline.retry' },
  { type: 'deadline.background' },
];

/** Events that effects and clock can report. */
function canHappen(state: ConversationState, event: ConversationModelEvent): boolean {
  const { mailbox, ending, steps, failures, compactions, retryAfterMs, isBroken } = state.context;
  const holds = (wanted: string) => mailbox.some(({ id }) => id === wanted);
  if (state.status === 'done') return false;
  switch (event.type) {
    case 'mailbox.arrived':
      return !holds(event.item.id) && mailbox.length < (compactions > 0 ? 1 : 2);
    case 'mailbox.withdrawn':
      return event.ids.every(holds);
    case 'calls.settled':
      return event.revealed.every(holds);
    // Compaction elsewhere is the same, from many states.
    case 'context.exceeded':
      return mailbox.length === 0 && ending === 'none' && steps === 1 && failures === 0;
    case 'conversation.compact':
      return mailbox.length === 0 && ending === 'none';
    case 'conversation.finish':
    case 'model.failed':
      return compactions === 0 || !isInTurn(state);
    // A requested compaction does not report whether it helped.
    case 'compaction.settled':
      return event.isWorthAsking || !state.matches({ open: { loop: { idle: 'compacting' } } });
    case 'deadline.retry':
      return ending !== 'withProcesses' || retryAfterMs === null;
    case 'deadline.background':
      return ending === 'withProcesses' && (!isPausing(state) || retryAfterMs !== null);
    case 'conversation.broke':
      return !isBroken;
    default:
      return true;
  }
}

function isPausing(state: ConversationState): boolean {
  return state.matches({ open: { loop: { waiting: 'toRetry' } } });
}

/** Path with the starting point of its conversation. */
export interface ConversationWay {
  readonly input: ConversationInput;
  readonly path: ConversationPath;
}

export function conversationWays(): readonly ConversationWay[] {
  return conversationInputs.flatMap((input) =>
    generatePaths(conversationModel, {
      input,
      events: conversationEvents as ConversationModelEvent[],
      // A turn of an earlier program is followed until it is like any other.
      canHappen: (state, event) =>
        (!input.isUnfinished || state.context.isUnfinished) && canHappen(state, event),
      toKey,
    }).map((path) => ({ input, path })),
  );
}

/**
 * Part of the context that decides how a conversation may continue. The rest is compared at every step, but makes no new path;
 * nor do the remains of a turn that is over.
 */
function toKey(state: ConversationState): string {
  const { value, context } = state;
  const { mailbox, isUnfinished, retryAfterMs, ending, isBroken } = context;
  const { steps, failures, compactions, hasUserMessage } = context;
  const waiting = mailbox.map(({ id }) => id).toSorted();
  const pause = isPausing(state) && retryAfterMs;
  const turn = isInTurn(state) && [steps, failures, compactions, hasUserMessage];
  return JSON.stringify([value, waiting, isUnfinished, turn, pause, ending, isBroken]);
}

function isInTurn(state: ConversationState): boolean {
  const loops = ['thinking', 'acting', 'waiting'] as const;
  return loops.some((loop) => state.matches({ open: { loop } })) && !isWaitingForProcesses(state);
}

function isWaitingForProcesses(state: ConversationState): boolean {
  return state.matches({ open: { loop: { waiting: 'forProcesses' } } });
}

/** Context without ids, which differ from run to run. */
export function outlineConversation(context: ConversationContext) {
  return { ...context, mailbox: context.mailbox.map(({ kind, attention }) => ({ kind, attention })) };
}

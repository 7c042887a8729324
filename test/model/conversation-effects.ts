import type { ConversationContext } from '../../machines/conversation/context.ts';
import type { ConversationModelEvent, ConversationState, conversationModel } from './conversation-model.ts';
import { CALLS } from './held-tool.ts';

/** Observed history of a conversation: turns, messages, calls, and what is under way. */
export interface ConversationOutline {
  readonly turnsStarted: number;
  readonly turnsEnded: readonly string[];
  /** Deliveries to the agent in order; for a notice, the number of its events. */
  readonly delivered: readonly (number | 'message')[];
  readonly modelAsked: number;
  readonly isModelHeld: boolean;
  readonly isCompacting: boolean;
  readonly calls: number;
  readonly areWaitsInterrupted: boolean;
  /** Length of each pause before a retry. */
  readonly pausesMs: readonly number[];
  readonly alarms: number;
  readonly isKillAsked: boolean;
}

/** Model whose effects only record, to be compared with the real conversation. */
export function createExpectedEffects(model: typeof conversationModel) {
  const alarms = new Set<string>();
  const seen = {
    turnsStarted: 0,
    turnsEnded: [] as string[],
    delivered: [] as (number | 'message')[],
    modelAsked: 0,
    isModelHeld: false,
    isCompacting: false,
    calls: 0,
    areWaitsInterrupted: false,
    pausesMs: [] as number[],
    isKillAsked: false,
  };
  let isTurnRunning = false;
  const endTurn = (end: string) => {
    if (isTurnRunning) seen.turnsEnded.push(end);
    isTurnRunning = false;
  };

  const noteReached = ({ type }: ConversationModelEvent) => {
    if (type.startsWith('deadline.')) alarms.delete(type.replace('deadline.', ''));
  };

  const noted = model.provide({
    actions: {
      announceTurn: () => {
        isTurnRunning = true;
        seen.turnsStarted += 1;
      },
      endTurn: (_, { end }) => endTurn(end),
      deliver: ({ context }, { ids }) => void seen.delivered.push(...toDelivery(context, ids)),
      callModel: () => {
        seen.modelAsked += 1;
        seen.isModelHeld = true;
      },
      stopModel: () => {
        seen.isModelHeld = false;
      },
      compact: () => {
        seen.isCompacting = true;
      },
      stopCompacting: () => {
        seen.isCompacting = false;
      },
      runCalls: (_, { mayWait }) => {
        seen.calls += CALLS;
        seen.areWaitsInterrupted = !mayWait;
      },
      interruptWaits: () => {
        seen.areWaitsInterrupted = true;
      },
      interruptCalls: () => {
        seen.areWaitsInterrupted = true;
      },
      shutDown: () => {
        endTurn('closed');
        seen.isModelHeld = false;
        seen.isKillAsked = true;
      },
      announceRetry: (_, { afterMs }) => void seen.pausesMs.push(afterMs),
      armDeadline: (_, { deadline }) => void alarms.add(deadline),
      disarmDeadline: (_, { deadline }) => void alarms.delete(deadline),
    },
  });

  /** Schedules the grace of an interrupted call. */
  const outline = (state: ConversationState): Partial<ConversationOutline> => {
    const isStopping = state.matches({ open: { loop: { acting: 'stopping' } } });
    const isActing = state.matches({ open: { loop: 'acting' } });
    const { areWaitsInterrupted, isKillAsked, ...always } = seen;
    return {
      ...always,
      ...(isActing && { areWaitsInterrupted }),
      ...(state.matches('open') && { alarms: alarms.size + (isStopping ? 1 : 0) }),
      ...(state.matches('closing') && { isKillAsked }),
    };
  };
  return { noted, noteReached, outline };
}

function toDelivery(
  { mailbox }: ConversationContext,
  ids: readonly string[],
): readonly (number | 'message')[] {
  const entries = mailbox.filter(({ id }) => ids.includes(id));
  const notices = entries.filter(({ kind }) => kind === 'notice').length;
  const messages = entries.filter(({ kind }) => kind === 'message').map(() => 'message' as const);
  return notices > 0 ? [notices, ...messages] : messages;
}

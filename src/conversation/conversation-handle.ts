import type { Observable } from 'rxjs';
import { finishOptions, notification, saying, shortenOptions } from '../config/conversation-options.ts';
import { parseOptions } from '../config/parse-options.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { createRandomId } from '../process/process-id.ts';
import type { Conversation, ConversationStatus } from './conversation.ts';
import type { ConversationEvent } from './conversation-event.ts';
import type { ConversationLoop, ConversationSnapshot } from './conversation-loop.ts';
import type { Memory } from './memory.ts';

/** The number of messages that may wait for the agent. */
const MAX_WAITING_MESSAGES = 1_000;

/** Returns the handle of a conversation: what callers may do with its loop. */
export function toHandle(
  loop: ConversationLoop,
  deps: {
    readonly id: string;
    readonly memory: Memory;
    readonly events$: Observable<ConversationEvent>;
    /** Resolves when the conversation is over. */
    readonly ended: Promise<void>;
    /** Removes all but the newest messages. Returns how many it removed. */
    shorten(keepMessages: number, summary: string | null): number;
  },
): Conversation {
  const { id, memory, events$, ended } = deps;
  const { actor, turns } = loop;
  const close = () => {
    loop.tell({ type: 'conversation.close' });
    return ended;
  };
  return {
    ...{ id, events$, close, [Symbol.asyncDispose]: close },
    get status() {
      return toStatus(actor.getSnapshot());
    },
    get transcript() {
      return [...memory.transcript];
    },
    get inbox() {
      return [...memory.mailbox.state.waiting.values()];
    },
    say: async (given) => {
      const { text } = parseOptions(saying, { input: { text: given }, name: 'say' });
      if (turns.waiting >= MAX_WAITING_MESSAGES) throw mailboxFull();
      const messageId = `message_${createRandomId()}`;
      const isTaken = loop.takeIn({ kind: 'message', id: messageId, attention: 'turn', text });
      return isTaken ? turns.outcomeOf(messageId) : { type: 'closed' };
    },
    notify: (given) => {
      const news = parseOptions(notification, { input: given, name: 'notify' });
      const { id: newsId, source, text, attention } = news;
      if (attention === 'ignore') return false;
      return loop.takeIn({ kind: 'notice', id: newsId, attention, part: { type: 'told', source, text } });
    },
    interrupt: async () => {
      if (!turns.isRunning) return false;
      loop.tell({ type: 'turn.interrupt' });
      await loop.until(() => !turns.isRunning);
      return true;
    },
    shorten: async (shortening) => {
      const { keepMessages, summary } = parseOptions(shortenOptions, { input: shortening, name: 'shorten' });
      await loop.until(isIdle);
      return loop.isOpen ? deps.shorten(keepMessages, summary ?? null) : 0;
    },
    compact: () => compactNow(loop),
    idle: async () => {
      do {
        await loop.until(isIdle);
        await loop.arrived();
      } while (!loop.satisfies(isIdle));
    },
    finish: async (finishing) => {
      const { background, wait } = parseOptions(finishOptions, { input: finishing, name: 'finish' });
      loop.tell({ type: 'conversation.finish', waitMs: background === 'kill' ? 0 : wait });
      await ended;
      return turns.lastOutcome;
    },
  };
}

/** Compacts at the next moment in which the loop rests. */
async function compactNow(loop: ConversationLoop): Promise<boolean> {
  const { actor, compactor } = loop;
  do await loop.until(isResting);
  while (!loop.satisfies(isResting));
  if (!isResting(actor.getSnapshot())) return false;
  const settled = compactor.next();
  actor.send({ type: 'conversation.compact' });
  return settled;
}

function mailboxFull(): TroupeError {
  const message =
    `say: ${MAX_WAITING_MESSAGES} messages already wait for this agent, so this one was refused. ` +
    'Wait until an earlier "say" resolves.';
  return new TroupeError({ code: 'inbox-full', message });
}

function isResting(snapshot: ConversationSnapshot): boolean {
  return snapshot.matches({ open: { loop: { idle: 'resting' } } });
}

/** Returns whether no turn runs, and none is about to. */
function isIdle(snapshot: ConversationSnapshot): boolean {
  return isResting(snapshot) || snapshot.matches({ open: { loop: { waiting: 'forProcesses' } } });
}

function toStatus(snapshot: ConversationSnapshot): ConversationStatus {
  if (snapshot.matches('failed')) return 'failed';
  if (snapshot.matches('done') || snapshot.matches('closing')) return 'done';
  const loops = ['thinking', 'acting', 'waiting'] as const;
  return loops.find((loop) => snapshot.matches({ open: { loop } })) ?? 'idle';
}

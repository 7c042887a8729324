import type { Completion } from '../supervisor/runtime-event.ts';
import { toAttention } from './attention.ts';

/** What waits for the agent. A completion has the id it has everywhere: `<process>/<attempt>/ended`. */
export type InboxEntry =
  | { readonly type: 'completion'; readonly id: string; readonly completion: Completion }
  | { readonly type: 'message'; readonly id: string; readonly text: string };

/** What happened outside, until a safe point of the agent's loop. Each id is given out once at most. */
export interface Inbox {
  /** `false` when that id was given out or withdrawn before: it is not taken in again. */
  add(entry: InboxEntry): boolean;
  /** Takes out what is there: all completions, which will be one message, and then the oldest messages, `maxMessages` in all. */
  drain(limits: { maxMessages: number }): readonly InboxEntry[];
  /** The agent knows already: the entries are not given out, nor taken in later. The ids of those that were waiting. */
  withdraw(ids: readonly string[]): readonly string[];
  /** Whether something waits that an idle agent is woken for. */
  readonly wakes: boolean;
  readonly size: number;
}

export function createInbox(): Inbox {
  const waiting = new Map<string, InboxEntry>();
  const settled = new Set<string>();

  return {
    add: (entry) => {
      if (settled.has(entry.id) || waiting.has(entry.id)) return false;
      waiting.set(entry.id, entry);
      return true;
    },
    drain: ({ maxMessages }) => {
      const completions = [...waiting.values()].filter(({ type }) => type === 'completion');
      const room = maxMessages - (completions.length > 0 ? 1 : 0);
      const messages = [...waiting.values()].filter(({ type }) => type === 'message').slice(0, room);
      const drained = [...completions, ...messages];
      for (const { id } of drained) {
        waiting.delete(id);
        settled.add(id);
      }
      return drained;
    },
    withdraw: (ids) => {
      const withdrawn = ids.filter((id) => waiting.delete(id));
      for (const id of ids) settled.add(id);
      return withdrawn;
    },
    get wakes() {
      return [...waiting.values()].some(
        (entry) => entry.type === 'message' || toAttention(entry.completion.process) === 'turn',
      );
    },
    get size() {
      return waiting.size;
    },
  };
}

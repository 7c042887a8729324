import { createRandomId } from '../process/process-id.ts';
import type { ChatMessage } from './chat-model.ts';

/**
 * Gives each call an id of its own: results are matched by id, and endpoints repeat theirs, or have none. An id that nobody
 * has yet stays as it is, because some models read their own ids.
 */
export function createCallIds(messages: readonly ChatMessage[] = []): (wanted: string) => string {
  const taken = new Set(messages.flatMap(callIdsOf));
  return (wanted) => {
    const base = wanted === '' ? `call_${createRandomId()}` : wanted;
    let id = base;
    for (let number = 2; taken.has(id); number += 1) id = `${base}_${number}`;
    taken.add(id);
    return id;
  };
}

function callIdsOf(message: ChatMessage): readonly string[] {
  return message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : [];
}

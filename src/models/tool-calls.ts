import { createRandomId } from '../process/process-id.ts';
import type { ChatMessage } from './chat-model.ts';

/** What providers allow in the name of a tool, and how long it may be. */
const MAX_NAME_LENGTH = 64;

/**
 * The arguments of a call as an object, which is what providers take back. What a model wrote instead of one is kept inside,
 * so that it sees its mistake.
 */
export function toCallInput(argumentsText: string): Record<string, unknown> {
  return parseObject(argumentsText) ?? { invalid_arguments: argumentsText };
}

/** The same as text: the model's own where it is right, byte by byte, so that prompt caches stay valid. */
export function toCallInputText(argumentsText: string): string {
  if (argumentsText.trim() === '') return '{}';
  return parseObject(argumentsText) === null
    ? JSON.stringify({ invalid_arguments: argumentsText })
    : argumentsText;
}

/** A name that a model made up may have characters for which a provider refuses the whole transcript. */
export function toToolName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_NAME_LENGTH) || '_';
}

function parseObject(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

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

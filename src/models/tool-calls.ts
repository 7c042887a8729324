import { createRandomId } from '../process/process-id.ts';
import type { ChatMessage } from './chat-model.ts';

/** Maximum length of a tool name with providers. */
const MAX_NAME_LENGTH = 64;

/**
 * Parses the arguments of a call to the object that providers expect. Invalid arguments are kept inside, so
 * that the model sees its mistake.
 */
export function toCallInput(argumentsText: string): Record<string, unknown> {
  return parseObject(argumentsText) ?? { invalid_arguments: argumentsText };
}

/** Returns the arguments as text: valid ones unchanged, so that prompt caches stay valid. */
export function toCallInputText(argumentsText: string): string {
  if (argumentsText.trim() === '') return '{}';
  return parseObject(argumentsText) === null
    ? JSON.stringify({ invalid_arguments: argumentsText })
    : argumentsText;
}

/** Replaces characters for which providers refuse the whole transcript, in names invented by a model. */
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
 * Gives each call a unique id: results are matched by id, and endpoints repeat theirs, or have none. Unique
 * ids stay unchanged, because some models read their own ids.
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

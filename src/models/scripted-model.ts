import type { ChatDelta, ChatMessage, ChatModel, TokenUsage } from './chat-model.ts';

/** A call in a script: with arguments, or with their text if it should be invalid. */
export type ScriptedCall = { readonly name: string } & (
  | { readonly arguments: Readonly<Record<string, unknown>> }
  | { readonly argumentsText: string }
);

/** Reply of the model: a text, calls, or both. */
export interface ScriptedReply {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Reported usage of the request. Default: none. */
  readonly usage?: TokenUsage;
}

/**
 * A reply, an error to fail with, or a function that makes a reply of the messages so far and fails by
 * rejecting.
 */
export type ScriptedStep =
  | ScriptedReply
  | Error
  | ((
      messages: readonly ChatMessage[],
      request: { readonly signal: AbortSignal },
    ) => ScriptedReply | Promise<ScriptedReply>);

/**
 * Creates a model that follows a script and needs no network. After the last step it repeats `fallback`, or
 * fails without one.
 */
export function createScriptedModel(
  steps: readonly ScriptedStep[],
  { fallback }: { readonly fallback?: ScriptedStep } = {},
): ChatModel {
  let taken = 0;
  return {
    name: 'scripted',
    stream: ({ messages, signal }) => {
      const number = taken;
      taken += 1;
      return play({ step: steps[number] ?? fallback, number, messages, signal });
    },
  };
}

async function* play(call: {
  step: ScriptedStep | undefined;
  number: number;
  messages: readonly ChatMessage[];
  signal: AbortSignal;
}): AsyncGenerator<ChatDelta> {
  const { step, number, messages, signal } = call;
  if (step === undefined) throw new Error(`The script has ended: it has ${number} steps.`);
  if (step instanceof Error) throw step;
  const reply = typeof step === 'function' ? await step(messages, { signal }) : step;
  for (const text of (reply.text ?? '').match(/\S+\s*|\s+/g) ?? []) {
    signal.throwIfAborted();
    yield { type: 'text', text };
  }
  for (const [index, wanted] of (reply.calls ?? []).entries()) {
    signal.throwIfAborted();
    const id = `call_${number + 1}_${index + 1}`;
    const argumentsText = 'arguments' in wanted ? JSON.stringify(wanted.arguments) : wanted.argumentsText;
    yield { type: 'toolCall', id, name: wanted.name };
    yield { type: 'toolCall', id, argumentsText };
  }
  if (reply.usage !== undefined) yield { type: 'usage', usage: reply.usage };
}

import type { ChatDelta, ChatMessage, ChatModel, TokenUsage } from './chat-model.ts';

/** A call as a script has it: with arguments, or with their text where it is to be broken. */
export type ScriptedCall = { readonly name: string } & (
  | { readonly arguments: Readonly<Record<string, unknown>> }
  | { readonly argumentsText: string }
);

/** What the model says in one step: a text, calls, or both. */
export interface ScriptedReply {
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** What the request is said to have cost. Default: it is not told. */
  readonly usage?: TokenUsage;
}

/** A reply, an error to fail with, or how to make a reply of all that was said before. One that rejects is a model that fails. */
export type ScriptedStep =
  | ScriptedReply
  | Error
  | ((
      messages: readonly ChatMessage[],
      request: { readonly signal: AbortSignal },
    ) => ScriptedReply | Promise<ScriptedReply>);

/**
 * A model that says what it was told to say, step by step, and needs no network. Beyond the last step it goes on with
 * `fallback`, again and again; without one it fails.
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

import type { ChatDelta, ChatMessage, ChatModel } from './chat-model.ts';

/** What the model says in one step: a text, calls, or both. */
export interface ScriptedReply {
  readonly text?: string;
  readonly calls?: readonly {
    readonly name: string;
    readonly arguments: Readonly<Record<string, unknown>>;
  }[];
}

/** A reply, or how to make one of all that was said before. One that rejects is a model that fails. */
export type ScriptedStep =
  | ScriptedReply
  | ((
      messages: readonly ChatMessage[],
      request: { readonly signal: AbortSignal },
    ) => ScriptedReply | Promise<ScriptedReply>);

/** A model that says what it was told to say, step by step, and needs no network. Beyond the last step it fails. */
export function createScriptedModel(steps: readonly ScriptedStep[]): ChatModel {
  let taken = 0;
  return {
    name: 'scripted',
    stream: ({ messages, signal }) => {
      const number = taken;
      taken += 1;
      return play({ step: steps[number], number, messages, signal });
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
  const reply = typeof step === 'function' ? await step(messages, { signal }) : step;
  for (const text of (reply.text ?? '').match(/\S+\s*|\s+/g) ?? []) {
    signal.throwIfAborted();
    yield { type: 'text', text };
  }
  for (const [index, wanted] of (reply.calls ?? []).entries()) {
    const id = `call_${number + 1}_${index + 1}`;
    yield { type: 'toolCall', id, name: wanted.name };
    yield { type: 'toolCall', id, argumentsText: JSON.stringify(wanted.arguments) };
  }
}

import type { ChatDelta, ChatMessage, ChatModel, ToolCall } from '../../src/models/chat-model.ts';

/** Model that streams its answer as a test pushes it. */
export interface PushedModel extends ChatModel {
  /** True while a caller waits for more. */
  readonly isAsked: boolean;
  write(text: string): void;
  /** Streams the rest and ends. */
  end(reply: { readonly text: string; readonly calls: readonly Omit<ToolCall, 'id'>[] }): void;
  fail(error: Error): void;
}

interface Speech {
  readonly signal: AbortSignal;
  readonly pieces: ChatDelta[];
  end: 'open' | 'ended' | Error;
  wake(): void;
}

export function createPushedModel({
  onAsked,
}: {
  onAsked: (messages: readonly ChatMessage[]) => void;
}): PushedModel {
  let speech: Speech | null = null;
  let calls = 0;
  const change = (how: (current: Speech) => void) => {
    if (speech === null || speech.signal.aborted) return;
    how(speech);
    speech.wake();
    if (speech.end !== 'open') speech = null;
  };
  return {
    name: 'pushed',
    stream: ({ messages, signal }) => {
      onAsked(messages);
      const current: Speech = { signal, pieces: [], end: 'open', wake: () => {} };
      speech = current;
      return read(current);
    },
    get isAsked() {
      return speech !== null && !speech.signal.aborted;
    },
    write: (text) => change(({ pieces }) => void pieces.push({ type: 'text', text })),
    end: (reply) =>
      change((current) => {
        if (reply.text !== '') current.pieces.push({ type: 'text', text: reply.text });
        for (const call of reply.calls) {
          calls += 1;
          current.pieces.push({ type: 'toolCall', id: `call_${calls}`, ...call });
        }
        current.end = 'ended';
      }),
    fail: (error) =>
      change((current) => {
        current.end = error;
      }),
  };
}

async function* read(speech: Speech): AsyncGenerator<ChatDelta> {
  for (;;) {
    for (let piece = speech.pieces.shift(); piece !== undefined; piece = speech.pieces.shift()) yield piece;
    if (speech.end === 'ended') return;
    if (speech.end !== 'open') throw speech.end;
    await new Promise<void>((resolve) => {
      speech.wake = resolve;
    });
  }
}

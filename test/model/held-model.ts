import type { ChatDelta, ChatModel } from '../../src/models/chat-model.ts';

/** Model that does not answer until a test lets it. */
export interface HeldModel extends ChatModel {
  /** Number of calls. */
  readonly asked: number;
  /** True while a caller waits for the answer. */
  readonly isHeld: boolean;
  reply(calls: number): void;
  fail(error: Error): void;
}

interface Speech {
  readonly signal: AbortSignal;
  resolve(deltas: readonly ChatDelta[]): void;
  reject(error: Error): void;
}

export function createHeldModel(toolName: string): HeldModel {
  let asked = 0;
  let speech: Speech | null = null;
  const take = () => {
    const current = speech;
    speech = null;
    if (current === null) throw new Error('No request waits for the model.');
    return current;
  };
  return {
    name: 'held',
    stream: ({ signal }) => {
      asked += 1;
      const { promise, resolve, reject } = Promise.withResolvers<readonly ChatDelta[]>();
      speech = { signal, resolve, reject };
      return (async function* () {
        yield* await promise;
      })();
    },
    get asked() {
      return asked;
    },
    get isHeld() {
      return speech !== null && !speech.signal.aborted;
    },
    reply: (calls) => {
      const text: ChatDelta = { type: 'text', text: `reply ${asked}` };
      const wanted = Array.from({ length: calls }, (_, index): ChatDelta => {
        return { type: 'toolCall', id: `call_${asked}_${index}`, name: toolName, argumentsText: '{}' };
      });
      take().resolve([text, ...wanted]);
    },
    fail: (error) => take().reject(error),
  };
}

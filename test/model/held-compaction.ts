import type { Compact, CompactionRequest } from '../../src/conversation/compact.ts';
import type { ChatMessage } from '../../src/models/chat-model.ts';

/** Compaction that waits until a test settles it. */
export interface HeldCompaction {
  readonly compact: Compact;
  readonly isHeld: boolean;
  /** Returns one character less, or the given result. */
  settle(options: { readonly isShorter: boolean }): void;
}

export function createHeldCompaction(): HeldCompaction {
  let held: { request: CompactionRequest; resolve(messages: readonly ChatMessage[]): void } | null = null;
  return {
    compact: (request) => {
      const { promise, resolve } = Promise.withResolvers<readonly ChatMessage[]>();
      held = { request, resolve };
      return promise;
    },
    get isHeld() {
      return held !== null && !held.request.signal.aborted;
    },
    settle: ({ isShorter }) => {
      const { request, resolve } = held ?? {};
      if (request === undefined) throw new Error('No compaction was requested.');
      held = null;
      resolve?.(isShorter ? withoutOneCharacter(request.messages) : request.messages);
    },
  };
}

function withoutOneCharacter(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const longest = Math.max(...messages.map(({ text }) => text.length));
  const place = messages.findIndex(({ text }) => text.length === longest);
  return messages.map((each, index) => (index === place ? { ...each, text: each.text.slice(0, -1) } : each));
}

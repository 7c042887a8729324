import { createVirtualHarness } from '../support/virtual.ts';
import type { ConversationStage } from './walk-conversation.ts';

/** Supervisor shared by many conversations, without operating-system processes, so it needs no shutdown. */
export function openConversationStage(): ConversationStage {
  // Scripted leftovers never end and hold their slot.
  const { supervisor, backend } = createVirtualHarness({ maxBackgroundProcesses: 10_000 });
  return { supervisor, backend };
}

import { createSupervisor } from '../../src/supervisor/create-supervisor.ts';
import { createScriptedBackend } from '../../src/testing/scripted-backend.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import type { ConversationStage } from './walk-conversation.ts';

/** Supervisor shared by many conversations, without operating-system processes, so it needs no shutdown. */
export function openConversationStage(): ConversationStage {
  const backend = createScriptedBackend();
  const supervisor = createSupervisor({
    stateDirectory: false,
    clock: createVirtualClock(),
    backend,
    // Scripted leftovers never end and hold their slot.
    maxBackgroundProcesses: 10_000,
  });
  return { supervisor, backend };
}

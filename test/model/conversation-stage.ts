import { createSupervisor } from '../../src/supervisor/create-supervisor.ts';
import { createScriptedBackend } from '../../src/testing/scripted-backend.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import type { ConversationStage } from './walk-conversation.ts';

/** A supervisor that many conversations share, and no operating system under it: there is nothing to shut down. */
export function openConversationStage(): ConversationStage {
  const backend = createScriptedBackend();
  const supervisor = createSupervisor({
    stateDirectory: false,
    clock: createVirtualClock(),
    backend,
    // What a script leaves behind is never gone, and holds its slot.
    maxBackgroundProcesses: 10_000,
  });
  return { supervisor, backend };
}

import type { Clock } from '../../clock/clock.ts';
import type { ChatModel } from '../../models/chat-model.ts';
import type { Supervisor } from '../../supervisor/supervisor.ts';
import type { SupervisorOptions } from '../../supervisor/supervisor-options.ts';

/** What a program takes from outside: real while it is recorded, and from the recording while it is replayed. */
export interface Stage {
  /** The clock of its supervisors. Pass it to `createConversation`, and wait on it: a replay does not wait for any other. */
  readonly clock: Clock;
  /** Creates a supervisor like the function of that name, on the stage's clock. @throws TroupeError `invalid-option`, as there. */
  createSupervisor(options?: Omit<SupervisorOptions, 'clock'>): Supervisor;
  /**
   * Returns a model that asks `model`, or gives the replies of the recording in their place. A function is not called in a replay, which
   * therefore needs no key.
   */
  wrapModel(model: ChatModel | (() => ChatModel)): ChatModel;
}

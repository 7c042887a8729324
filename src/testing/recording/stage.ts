import type { Clock } from '../../clock/clock.ts';
import type { ChatModel } from '../../models/chat-model.ts';
import type { Supervisor } from '../../supervisor/supervisor.ts';
import type { SupervisorOptions } from '../../supervisor/supervisor-options.ts';

/** Dependencies of a program that can be recorded and replayed: real ones in a recorder, recorded ones in a replay. */
export interface Stage {
  /** Clock of the supervisors. Pass it to `createConversation` and use it for pauses: a replay waits for no other clock. */
  readonly clock: Clock;
  /** Creates a supervisor like the function of that name, on the stage's clock. @throws TroupeError `invalid-option`, as there. */
  createSupervisor(options?: Omit<SupervisorOptions, 'clock'>): Supervisor;
  /**
   * Returns a model that asks `model`; in a replay, a model that gives the recorded replies. A replay does not call a function, so it needs
   * no key.
   */
  wrapModel(model: ChatModel | (() => ChatModel)): ChatModel;
}

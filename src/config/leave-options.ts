import { z } from 'zod';

/** Options of a process that a state of a machine invokes, beside those of its start. */
export interface LeaveOptions {
  /**
   * Fate of the process when the machine leaves the state that invoked it, or stops its spawned child. `kill`: its whole tree is killed.
   * `detach`: it continues in the background. When the whole machine is stopped, a persistent process continues in any case, so that a
   * machine restored from its persisted snapshot finds it again. Default `kill`.
   */
  readonly onLeave?: 'kill' | 'detach' | undefined;
}

/** Schema of `LeaveOptions`. */
export const leaveOptions = z.strictObject({ onLeave: z.enum(['kill', 'detach']).default('kill') });

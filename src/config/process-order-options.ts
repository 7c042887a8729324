import { z } from 'zod';
import { duration } from './duration.ts';
import {
  type EndingSignal,
  isEndingSignal,
  type SignalName,
  signalNames,
  toSignalNumber,
} from './signal-name.ts';

/** Limits that may change while a process runs. */
export const limitChanges = z.strictObject({
  timeout: duration.optional(),
  maxExecutionTime: duration.optional(),
  maxBackgroundTime: duration.optional(),
});

const requester = z.enum(['agent', 'user', 'supervisor', 'owner']).default('user');

export const killOptions = z.strictObject({
  signal: z
    // The refinement leaves only these.
    .enum(signalNames as readonly EndingSignal[])
    .refine(isEndingSignal, {
      error: () =>
        'a signal that ends a program, such as SIGTERM, SIGINT or SIGHUP; `signal` of the handle, or troupe signal, sends any without ending it',
    })
    .default('SIGTERM'),
  grace: duration.optional(),
  by: requester,
});

/** Tells whether a signal may be sent without ending the process. */
function isSendable(name: unknown): boolean {
  return typeof name === 'string' && name !== 'SIGKILL' && toSignalNumber(name as SignalName) !== null;
}

/** The argument of `signal`. */
export const signalOptions = z.strictObject({
  signal: z.custom<SignalName>(isSendable, {
    error: () =>
      'a signal by its name (SIGHUP, SIGUSR1, SIGRTMIN+1) other than SIGKILL, which only `kill` sends',
  }),
  to: z.enum(['tree', 'leader']).default('tree'),
  by: requester,
});

/** The argument of `pause` and `resume`. */
export const pauseOptions = z.strictObject({ by: requester });

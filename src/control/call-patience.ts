import type { CallOptions } from './control-connection.ts';

/** Many are asked at once: who does not answer within this is passed over. */
export const PROMPT: CallOptions = { deadlineMs: 2_000 };
/** What is answered at once. */
export const QUICK: CallOptions = { deadlineMs: 5_000 };
/** What takes as long as a process, or a person who is asked, may take; of a supervisor that must not be halted meanwhile. */
export const LONG: CallOptions = { pulseMs: 3_000 };

import type { CommandSpec } from '../config/process-spec.ts';

/** A person sets limits where they are wanted, and is asked by no pager. */
export const interactiveDefaults = {
  background: true,
  maxExecutionTime: 0,
  notifyAfterSilence: 0,
  hints: { pager: false, gitPrompt: false, term: false },
} as const satisfies Partial<CommandSpec>;

import type { PolicyOptions } from '../../src/config/policy-options.ts';
import { createPolicy } from '../../src/policy/create-policy.ts';
import type { Policy, Verdict } from '../../src/policy/policy.ts';

/** Decides what `run_command` may do with a command. */
export function decideStart(
  policy: Policy | PolicyOptions,
  command: string | readonly string[],
  cwd?: string,
): Promise<Verdict> {
  const decider = 'decide' in policy ? policy : createPolicy(policy);
  const start = { command, ...(cwd !== undefined && { cwd }) };
  return decider.decide({ tool: 'run_command', permission: 'start', start });
}

export function errorOf(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('Nothing was thrown.');
}

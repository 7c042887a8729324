import type { Policy } from '../policy/policy.ts';
import { fromPolicyText } from '../policy/policy-text.ts';

/** Environment variable with the restrictions of a process, which apply to all agents started below it. */
export const POLICY_VARIABLE = 'TROUPE_POLICY';

/**
 * Reads the restrictions of the agent above, in another program; `null` where there are none.
 *
 * @throws TroupeError `invalid-option` where they cannot be read, so that damaging them does not remove them.
 */
export function readInheritedPolicy(env: Readonly<Record<string, string | undefined>>): Policy | null {
  const text = env[POLICY_VARIABLE];
  return text === undefined ? null : fromPolicyText(text);
}

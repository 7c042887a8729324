import type { Policy } from '../policy/policy.ts';
import { fromPolicyText } from '../policy/policy-text.ts';

/** What a process is told of the restrictions that hold for it, so that they hold for every agent that is started below. */
export const POLICY_VARIABLE = 'TROUPE_POLICY';

/**
 * The restrictions of the agent above, in another program; `null` where there is none.
 *
 * @throws TroupeError `invalid-option` where they cannot be read: nobody gets rid of them by spoiling them.
 */
export function readInheritedPolicy(env: Readonly<Record<string, string | undefined>>): Policy | null {
  const text = env[POLICY_VARIABLE];
  return text === undefined ? null : fromPolicyText(text);
}

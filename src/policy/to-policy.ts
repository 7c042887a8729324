import type { PolicyOptions } from '../config/policy-options.ts';
import { createPolicy } from './create-policy.ts';
import type { Policy } from './policy.ts';

/**
 * A policy, or one that is made of these options.
 *
 * @throws TroupeError `invalid-option`
 */
export function toPolicy(given: Policy | PolicyOptions | undefined): Policy {
  return given !== undefined && 'decide' in given ? given : createPolicy(given);
}

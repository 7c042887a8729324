import type { PolicyOptions } from '../config/policy-options.ts';
import { createPolicy } from './create-policy.ts';
import type { Policy } from './policy.ts';

/** Policy with its cleanup; a policy from outside is left open. */
export interface HeldPolicy {
  readonly policy: Policy;
  release(): Promise<void>;
}

/**
 * Returns the given policy, or creates one from options. Its workspace is `workspace` unless the options name one.
 *
 * @throws TroupeError `invalid-option`
 */
export function toPolicy(
  given: Policy | PolicyOptions | undefined,
  { workspace }: { readonly workspace: string },
): HeldPolicy {
  if (given !== undefined && 'decide' in given) return { policy: given, release: async () => {} };
  const policy = createPolicy({ workspace, ...given });
  return { policy, release: () => policy.close() };
}

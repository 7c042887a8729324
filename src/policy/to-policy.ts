import type { PolicyOptions } from '../config/policy-options.ts';
import { createPolicy } from './create-policy.ts';
import type { Policy } from './policy.ts';

/** A policy, and how to be done with it: one that somebody else made is left alone. */
export interface HeldPolicy {
  readonly policy: Policy;
  release(): Promise<void>;
}

/**
 * The policy that was handed in, or one that is made of these options. Its workspace is `workspace` unless the options name one.
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

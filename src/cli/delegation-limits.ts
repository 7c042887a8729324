import { toMaxDepth } from '../agents/agent-settings.ts';
import { canStartAgent, describeRefusedDepth, readDepth } from '../agents/depth-limit.ts';
import { POLICY_VARIABLE, readInheritedPolicy } from '../agents/inherited-policy.ts';
import type { AgentDefinition } from '../config/agent-file-schema.ts';
import { toErrorText } from '../config/error-text.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { Policy } from '../policy/policy.ts';
import type { CliIo } from './cli-io.ts';

/** Limits that an agent inherits from the program that starts it. */
export interface DelegationLimits {
  readonly depth: number;
  readonly maxDepth: number;
  readonly inherited?: Policy;
}

/**
 * Reads the limits from flags and from the environment, where a parent agent in another program sets them.
 *
 * @throws TroupeError `invalid-option` for a malformed value; `delegation-depth` where no agent may be started.
 */
export function readDelegationLimits(
  definition: AgentDefinition,
  { env, ...flags }: { depth?: string | undefined; maxDepth?: string | undefined; env: CliIo['env'] },
): DelegationLimits {
  const given = readDepth({ ...flags, env });
  if (!given.ok) throw new TroupeError({ code: 'invalid-option', message: given.error });
  const maxDepth = toMaxDepth(definition, given.maxDepth);
  if (!canStartAgent(given.depth, maxDepth)) {
    throw new TroupeError({ code: 'delegation-depth', message: describeRefusedDepth(maxDepth) });
  }
  const inherited = readPolicy(env);
  return { depth: given.depth, maxDepth, ...(inherited !== null && { inherited }) };
}

function readPolicy(env: CliIo['env']): Policy | null {
  try {
    return readInheritedPolicy(env);
  } catch (error) {
    const message =
      `${POLICY_VARIABLE} is ${quote(env[POLICY_VARIABLE] ?? '')}; expected the value that the parent agent set. ` +
      toErrorText(error);
    throw new TroupeError({ code: 'invalid-option', message, cause: error });
  }
}

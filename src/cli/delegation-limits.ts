import { toMaxDepth } from '../agents/agent-settings.ts';
import { canStartAgent, describeRefusedDepth, readDepth } from '../agents/depth-limit.ts';
import { POLICY_VARIABLE, readInheritedPolicy } from '../agents/inherited-policy.ts';
import type { AgentDefinition } from '../config/agent-file-schema.ts';
import { toErrorText } from '../config/error-text.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { Policy } from '../policy/policy.ts';
import type { CliIo } from './cli-io.ts';

/** What holds for an agent because of where it is started. */
export interface DelegationLimits {
  readonly depth: number;
  readonly maxDepth: number;
  readonly inherited?: Policy;
}

/**
 * Reads what the flags and an agent above, in another program, have said.
 *
 * @throws TroupeError `invalid-option` for what cannot be read; `delegation-depth` where no agent may be started.
 */
export function readDelegationLimits(
  definition: AgentDefinition,
  { env, ...flags }: { depth?: string | undefined; maxDepth?: string | undefined; env: CliIo['env'] },
): DelegationLimits {
  const told = readDepth({ ...flags, env });
  if (!told.ok) throw new TroupeError({ code: 'invalid-option', message: told.error });
  const maxDepth = toMaxDepth(definition, told.maxDepth);
  if (!canStartAgent(told.depth, maxDepth)) {
    throw new TroupeError({ code: 'delegation-depth', message: describeRefusedDepth(maxDepth) });
  }
  const inherited = readPolicy(env);
  return { depth: told.depth, maxDepth, ...(inherited !== null && { inherited }) };
}

function readPolicy(env: CliIo['env']): Policy | null {
  try {
    return readInheritedPolicy(env);
  } catch (error) {
    const message =
      `${POLICY_VARIABLE} is ${quote(env[POLICY_VARIABLE] ?? '')}; expected what the agent above has set. ` +
      toErrorText(error);
    throw new TroupeError({ code: 'invalid-option', message, cause: error });
  }
}

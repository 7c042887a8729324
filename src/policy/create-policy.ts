import { toErrorText } from '../config/error-text.ts';
import { parseOptions } from '../config/parse-options.ts';
import { type PolicyOptions, type PolicySettings, policyOptions } from '../config/policy-options.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { combinePolicies } from './combine-policies.ts';
import type { Policy } from './policy.ts';
import { compilePattern } from './rules/compile-pattern.ts';
import { installedSandbox, type SharedSandbox } from './sandbox/sandbox-runtime.ts';

/**
 * Creates a policy. Loads the shell grammar and the sandbox on first use.
 *
 * @throws TroupeError `invalid-option`
 */
export function createPolicy(options: PolicyOptions = {}): Policy {
  return fromLayers([toSettings(options, process.cwd())]);
}

/** Creates one policy from settings that all apply, outermost first. */
export function fromLayers(
  layers: readonly [PolicySettings, ...PolicySettings[]],
  sandbox: SharedSandbox = installedSandbox,
): Policy {
  const policy = combinePolicies(layers, sandbox);
  const { workspace = process.cwd() } = policy.settings;
  return {
    ...policy,
    narrow: (options) => fromLayers([...layers, toSettings(options, workspace)], sandbox),
  };
}

/** @throws TroupeError `invalid-option` */
export function toSettings(options: PolicyOptions, workspace: string): PolicySettings {
  const given = parseOptions(policyOptions, { input: options, name: 'policy' });
  const { restrictToWorkspace, sandbox = restrictToWorkspace ? 'auto' : 'off' } = given;
  if (sandbox !== 'off' && !restrictToWorkspace) {
    const message = `policy: "sandbox" is ${JSON.stringify(sandbox)}; expected "off", or "restrictToWorkspace": true beside it.`;
    throw new TroupeError({ code: 'invalid-option', message });
  }
  checkRules(given);
  return { ...given, sandbox, workspace: given.workspace ?? workspace };
}

/** @throws TroupeError `invalid-option` for a pattern that cannot be read. */
function checkRules({ rules }: Pick<PolicySettings, 'rules'>): void {
  for (const [name, rule] of Object.entries(rules)) {
    if (typeof rule !== 'object') continue;
    for (const pattern of [...rule.match, ...(rule.beside ?? [])]) {
      try {
        compilePattern(pattern);
      } catch (cause) {
        const message = `policy: "rules.${name}" has the pattern ${JSON.stringify(pattern)}, which cannot be read: ${toErrorText(cause)}.`;
        throw new TroupeError({ code: 'invalid-option', message, cause });
      }
    }
  }
}

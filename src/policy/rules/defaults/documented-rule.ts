import type { PolicyRule, RuleName } from '../../../config/policy-options.ts';

/** Rule with commands that it finds, and similar ones that it does not: its tests and its documentation. */
export interface DocumentedRule extends PolicyRule {
  readonly name: RuleName;
  readonly finds: readonly string[];
  readonly leaves: readonly string[];
}

/** Options of programs for whole directories. */
export const RECURSIVE = '-r|-R|--recursive';

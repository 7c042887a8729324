import type { PolicyRule, PolicySettings, RuleName } from '../../config/policy-options.ts';
import type { SimpleCommand } from '../shell/simple-command.ts';
import { type CommandPattern, compilePattern } from './compile-pattern.ts';
import { defaultRules } from './default-rules.ts';
import type { WorkspacePaths } from './targets.ts';

/** Rule of a policy, ready for use. */
export interface ActiveRule {
  readonly name: string;
  readonly rule: PolicyRule;
  /** True if the user's settings contain the verdict. Its questions are asked in every mode. */
  readonly isWanted: boolean;
  /** Tells whether a command matches; `isTail`: only patterns of more than a program count. */
  finds(
    command: SimpleCommand,
    options: { readonly isTail: boolean; readonly workspacePaths: WorkspacePaths },
  ): boolean;
  /** Tells whether another command is one that the rule needs beside the first. */
  hasBeside(command: SimpleCommand, workspacePaths: WorkspacePaths): boolean;
}

const compiled = new Map<string, CommandPattern>();

function compile(pattern: string): CommandPattern {
  const known = compiled.get(pattern) ?? compilePattern(pattern);
  if (compiled.size < 2_000) compiled.set(pattern, known);
  return known;
}

function toActive(name: string, rule: PolicyRule, isWanted: boolean): ActiveRule {
  const match = rule.match.map(compile);
  const beside = rule.beside?.map(compile) ?? [];
  return {
    name,
    rule,
    isWanted,
    finds: (command, { isTail, workspacePaths }) =>
      match.some((pattern) => !(isTail && pattern.isBare) && pattern.matches(command, workspacePaths)),
    hasBeside: (command, workspacePaths) =>
      beside.some((pattern) => pattern.matches(command, workspacePaths)),
  };
}

/** Returns the rules of a policy: the defaults as its settings change them, and the user's own. Denials come first. */
export function toActiveRules(settings: Pick<PolicySettings, 'rules'>): readonly ActiveRule[] {
  const { rules } = settings;
  const defaults = defaultRules.flatMap((rule) => {
    const own = rules[rule.name];
    if (own === 'off') return [];
    if (typeof own === 'object') return [toActive(rule.name, own, true)];
    return [toActive(rule.name, own === undefined ? rule : { ...rule, verdict: own }, own !== undefined)];
  });
  const names: readonly string[] = defaultRules.map(({ name }: { name: RuleName }) => name);
  const own = Object.entries(rules).flatMap(([name, rule]) =>
    names.includes(name) || typeof rule !== 'object' ? [] : [toActive(name, rule, true)],
  );
  return [...own, ...defaults].toSorted((one, other) => rank(one) - rank(other));
}

function rank({ rule }: ActiveRule): number {
  return rule.verdict === 'deny' ? 0 : 1;
}

import type { PolicySettings } from '../../config/policy-options.ts';
import { quote } from '../../config/quote.ts';
import type { Grant } from '../grant.ts';
import type { StartRequest } from '../policy.ts';
import type { DenyRule, Finding } from '../rules/deny-rule.ts';
import { denyRules } from '../rules/deny-rules.ts';
import type { ShellGrammar } from '../shell/shell-grammar.ts';
import { programOf, type SimpleCommand, showCommand } from '../shell/simple-command.ts';
import { checkWorkspace } from '../workspace/check-workspace.ts';
import { toCommandGrants } from './command-grants.ts';
import { isAllowedBy, isDeniedBy, toCommandPattern } from './command-pattern.ts';
import { findHiddenCommands } from './hidden-commands.ts';
import { readStart, type Segment, type StartReading } from './read-start.ts';
import { mayStartOthers } from './starts-others.ts';

/** Judgement of a command by itself; `plain` leaves the decision to the mode. */
export type Judgement =
  | { readonly type: 'deny'; readonly reason: string; readonly hint: string }
  /** `why` is the end of a sentence that begins with "it". */
  | { readonly type: 'ask'; readonly why: string }
  | { readonly type: 'allow' }
  /** `always`: the part that a person can allow permanently. */
  | { readonly type: 'plain'; readonly always: readonly Grant[] | null };

/** Judges what a start would really run, most binding first: deny list, workspace, unknown parts, allow list. */
export async function judgeStart(
  start: StartRequest & { readonly cwd: string },
  { settings, grammar }: { settings: PolicySettings; grammar: ShellGrammar },
): Promise<Judgement> {
  const reading = readStart(start.command, { directories: [[{ to: start.cwd }]], grammar });
  const byRules = judgeByRules(reading, settings);
  if (byRules?.type === 'deny') return byRules;
  const inWorkspace = settings.restrictToWorkspace
    ? await checkWorkspace(reading, { start, settings })
    : null;
  if (inWorkspace?.type === 'deny') return inWorkspace;
  const [doubt] = reading.doubts;
  if (byRules !== null) return byRules;
  if (doubt !== undefined) return { type: 'ask', why: doubt };
  const hidden = findHidden(reading, { settings, grammar });
  if (hidden !== null) return { type: 'ask', why: hidden };
  return inWorkspace ?? judgeByAllowList(reading, settings);
}

function judgeByRules({ segments, bombs }: StartReading, settings: PolicySettings): Judgement | null {
  const commands = segments.map(({ command }) => command);
  const { deny } = settings.commands;
  for (const text of deny) {
    const pattern = toCommandPattern(text);
    const found = commands.find((command) => isDeniedBy(pattern, command));
    if (found !== undefined) return toUserDenial(found, text);
  }
  let question: Judgement | null = null;
  for (const rule of denyRules) {
    const strictness = settings.rules[rule.name] ?? 'deny';
    if (strictness === 'off') continue;
    const found = rule.name === 'fork-bomb' ? toBomb(bombs) : findFirst(rule, commands);
    if (found === null) continue;
    if (found.finding === 'yes' && strictness === 'deny') return toDenial(found.shown, rule);
    const may = found.finding === 'yes' ? 'is' : 'may be';
    question ??= { type: 'ask', why: `${may} ${rule.what}: ${quote(found.shown)}` };
  }
  return question;
}

interface Found {
  readonly finding: Finding;
  readonly shown: string;
}

function toBomb([name]: readonly string[]): Found | null {
  return name === undefined ? null : { finding: 'yes', shown: `${name}()` };
}

function findFirst(rule: DenyRule, commands: readonly SimpleCommand[]): Found | null {
  let maybe: Found | null = null;
  for (const command of commands) {
    const finding = rule.finds(command, commands);
    if (finding === 'yes') return { finding, shown: showCommand(command) };
    if (finding === 'maybe') maybe ??= { finding, shown: showCommand(command) };
  }
  return maybe;
}

function toDenial(shown: string, { name, what, hint }: DenyRule): Judgement {
  const reason = `${quote(shown)} is ${what} (rule ${name}).`;
  return {
    type: 'deny',
    reason,
    hint: `${hint} Only the user can change the rule, in the policy's "rules".`,
  };
}

function toUserDenial(command: SimpleCommand, pattern: string): Judgement {
  const reason = `${quote(showCommand(command))} matches the denied pattern ${quote(pattern)}.`;
  return { type: 'deny', reason, hint: 'Reach the goal in another way, or ask the user.' };
}

function findHidden(
  { segments }: StartReading,
  { settings, grammar }: { settings: PolicySettings; grammar: ShellGrammar },
): string | null {
  const active = denyRules.filter(({ name }) => settings.rules[name] !== 'off');
  const isDenied = (command: SimpleCommand) => active.some((rule) => rule.finds(command, []) === 'yes');
  for (const { command, isGuess } of segments) {
    const found = findHiddenCommands(command, { grammar, isGuess, isDenied });
    if (found !== null) return found;
  }
  return null;
}

/** Requires one pattern per segment, and no way to run anything that no pattern covers. Pure wrappers need none. */
function judgeByAllowList({ segments }: StartReading, { commands: { allow } }: PolicySettings): Judgement {
  const patterns = allow.map((text) => ({ text, regExp: toCommandPattern(text) }));
  const needed = segments.filter(({ isTransparent, ...segment }) => !isTransparent || writesItself(segment));
  const isOpen = segments.some(({ command, isGuess }) => isGuess || mayStartOthers(command));
  const isListed = ({ command }: Segment) => patterns.some((pattern) => isAllowedBy(pattern, command));
  const unlisted = isOpen ? needed : needed.filter((segment) => !isListed(segment));
  if (needed.length > 0 && unlisted.length === 0) return { type: 'allow' };
  return { type: 'plain', always: isOpen ? null : toCommandGrants(unlisted) };
}

/** Tells whether a pure wrapper writes a file itself, by a redirection or as `time -o` does. */
function writesItself({ command, ownWords }: Pick<Segment, 'command' | 'ownWords'>): boolean {
  const isTimed = programOf(command) === 'time' && ownWords.some((word) => /^(-\w*o|--o)/.test(word));
  return command.redirections.length > 0 || isTimed;
}

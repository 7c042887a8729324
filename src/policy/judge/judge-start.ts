import type { PolicySettings } from '../../config/policy-options.ts';
import { quote } from '../../config/quote.ts';
import { createEventLoopYield } from '../event-loop-yield.ts';
import type { Grant } from '../grant.ts';
import type { StartRequest } from '../policy.ts';
import { type ActiveRule, toActiveRules } from '../rules/active-rules.ts';
import { isOpener, isReader } from '../rules/programs.ts';
import type { WorkspacePaths } from '../rules/targets.ts';
import type { ShellGrammar } from '../shell/shell-grammar.ts';
import { programOf, type SimpleCommand, showCommand } from '../shell/simple-command.ts';
import { UNKNOWN_WORDS } from '../shell/word.ts';
import { checkWorkspace } from '../workspace/check-workspace.ts';
import { toCommandGrants, toExactGrants } from './command-grants.ts';
import { isAllowedBy, isDeniedBy, toCommandPattern } from './command-pattern.ts';
import { readStart, type Segment, type StartReading } from './read-start.ts';

/** Judgement of a command by itself; `plain` leaves the decision to the mode. */
export type Judgement =
  | { readonly type: 'deny'; readonly reason: string; readonly hint: string; readonly rule: string | null }
  /** `why` is the end of a sentence that begins with "it". `isWanted`: the user's own settings ask, in every mode. */
  | {
      readonly type: 'ask';
      readonly why: string;
      readonly rule: string | null;
      readonly isWanted: boolean;
      readonly always: readonly Grant[] | null;
    }
  | { readonly type: 'allow' }
  /** `always`: the part that a person can allow permanently. `isReader`: it only reads and prints. */
  | { readonly type: 'plain'; readonly always: readonly Grant[] | null; readonly isReader: boolean };

/**
 * Judges what a start would really run, most binding first: denials, workspace, unknown parts, allow list, questions.
 * `isHeld`: a sandbox holds it, so that nothing is asked because it is unknown.
 */
export async function judgeStart(
  start: StartRequest & { readonly cwd: string },
  { settings, grammar, isHeld }: { settings: PolicySettings; grammar: ShellGrammar; isHeld: boolean },
): Promise<Judgement> {
  const reading = await readStart(start.command, {
    directories: [[{ to: start.cwd, isReached: true }]],
    grammar,
  });
  const workspacePaths = { workspace: settings.workspace ?? start.cwd, extraPaths: settings.extraPaths };
  const byRules = await judgeByRules(reading, { settings, workspacePaths, isHeld });
  if (byRules?.type === 'deny') return byRules;
  const inWorkspace = settings.restrictToWorkspace
    ? await checkWorkspace(reading, { start, settings, isHeld })
    : null;
  if (inWorkspace?.type === 'deny') return { ...inWorkspace, rule: 'restrictToWorkspace' };
  const [doubt] = isHeld ? [] : reading.doubts;
  if (doubt !== undefined)
    return byRules ?? { type: 'ask', why: doubt, rule: null, isWanted: false, always: null };
  if (inWorkspace !== null)
    return { ...inWorkspace, rule: 'restrictToWorkspace', isWanted: false, always: null };
  const byList = judgeByAllowList(reading, settings);
  if (byRules === null || (byList.type === 'allow' && !byRules.isWanted)) return byList;
  const certain = reading.segments.filter(isCommand).map(({ command }) => command);
  return { ...byRules, always: toExactGrants(certain) };
}

type RuleJudgement = Extract<Judgement, { type: 'deny' | 'ask' }>;

async function judgeByRules(
  { segments, bombs }: StartReading,
  {
    settings,
    workspacePaths,
    isHeld,
  }: { settings: PolicySettings; workspacePaths: WorkspacePaths; isHeld: boolean },
): Promise<RuleJudgement | null> {
  for (const text of settings.commands.deny) {
    const pattern = toCommandPattern(text);
    const found = segments.find(({ type, command }) => type === 'certain' && isDeniedBy(pattern, command));
    if (found !== undefined) return toUserDenial(found.command, text);
  }
  let question: RuleJudgement | null = null;
  for (const active of toActiveRules(settings)) {
    const { name, rule, isWanted } = active;
    const found =
      name === 'fork-bomb' ? toBomb(bombs) : await findSegment(active, { segments, workspacePaths });
    if (found === null || (isHeld && !found.isCertain)) continue;
    if (rule.verdict === 'deny' && found.isCertain) return toDenial(found.shown, active);
    const why = `${found.isCertain ? 'is' : 'may be'} ${rule.what}: ${quote(found.shown)}`;
    question ??= { type: 'ask', why, rule: name, isWanted, always: null };
  }
  return question;
}

interface Found {
  readonly isCertain: boolean;
  readonly shown: string;
}

function toBomb([name]: readonly string[]): Found | null {
  return name === undefined ? null : { isCertain: true, shown: `${name}()` };
}

async function findSegment(
  active: ActiveRule,
  { segments, workspacePaths }: { segments: readonly Segment[]; workspacePaths: WorkspacePaths },
): Promise<Found | null> {
  const matching: Segment[] = [];
  const yieldIfDue = createEventLoopYield();
  for (const segment of segments) {
    const { command, isTail } = segment;
    if (active.finds(command, { isTail, workspacePaths })) matching.push(segment);
    await yieldIfDue();
  }
  if (active.rule.beside !== undefined) {
    const hasOther = segments.some(
      (other) => !matching.includes(other) && active.hasBeside(other.command, workspacePaths),
    );
    if (!hasOther) return null;
  }
  const found = matching.find(({ type }) => type === 'certain') ?? matching[0];
  return found === undefined
    ? null
    : { isCertain: found.type === 'certain', shown: showCommand(found.command) };
}

function toDenial(shown: string, { name, rule: { what, hint = '' } }: ActiveRule): RuleJudgement {
  const reason = `${quote(shown)} is ${what} (rule ${name}).`;
  const change = `Only the user can change the rule, in the policy's "rules".`;
  return { type: 'deny', reason, hint: `${hint} ${change}`.trim(), rule: name };
}

function toUserDenial(command: SimpleCommand, pattern: string): RuleJudgement {
  const reason = `${quote(showCommand(command))} matches the denied pattern ${quote(pattern)}.`;
  return {
    type: 'deny',
    reason,
    hint: 'Reach the goal in another way, or ask the user.',
    rule: 'commands.deny',
  };
}

/** Tells whether a segment is a command of its own, not a part of another one. */
function isCommand({ type, isTail }: Segment): boolean {
  return type === 'certain' && !isTail;
}

/** Requires one pattern per segment, and no way to run anything that no pattern covers. Pure wrappers need none. */
function judgeByAllowList(reading: StartReading, { commands: { allow } }: PolicySettings): Judgement {
  const segments = reading.segments.filter(isCommand);
  const patterns = allow.map((text) => ({ text, regExp: toCommandPattern(text) }));
  const needed = segments.filter((segment) => !needsNoPattern(segment));
  const isOpen = segments.some(({ command }) => isOpener(command));
  const isListed = ({ command }: Segment) => patterns.some((pattern) => isAllowedBy(pattern, command));
  const unlisted = isOpen ? needed : needed.filter((segment) => !isListed(segment));
  if (needed.length > 0 && unlisted.length === 0) return { type: 'allow' };
  return {
    type: 'plain',
    always: isOpen ? null : toCommandGrants(unlisted.map(({ command }) => command)),
    isReader: segments.length > 0 && segments.every(isReading),
  };
}

function needsNoPattern({ command, isTransparent }: Segment): boolean {
  const { assignments, redirections } = command;
  const isPlain = assignments.length === 0 && redirections.length === 0;
  return isPlain && (isTransparent || programOf(command) === '[[');
}

const HARMLESS = /^\/dev\/(null|stdout|stderr|tty)$/;

function isReading({ command, isTransparent }: Segment): boolean {
  const { words, assignments, redirections } = command;
  const writes = redirections.some(
    ({ direction, target }) => direction === 'write' && !HARMLESS.test(target),
  );
  // An unquoted variable may be an option.
  const isOpen = words.some((word) => word.includes(UNKNOWN_WORDS) || word.startsWith('\0'));
  if (writes || assignments.length > 0) return false;
  return (
    isTransparent ||
    (words[0] === programOf(command) &&
      isReader(command) &&
      !(isOpen && !/^(echo|printf|cat|head|tail|wc|grep|ls|cd|\[\[|test)$/.test(programOf(command))))
  );
}

import { toErrorText } from '../config/error-text.ts';
import type { PolicySettings } from '../config/policy-options.ts';
import { quote } from '../config/quote.ts';
import type { Grant } from './grant.ts';
import type { Judgement } from './judge/judge-start.ts';
import { toPermissionVerdict } from './mode-verdict.ts';
import type { Permission } from './permission.ts';
import type { Policy, PolicyRequest, StartRequest, Verdict } from './policy.ts';
import { createToolFilter } from './tool-filter.ts';

/** Decides by one set of settings. `isHeld`: the command would run in a sandbox. */
interface PolicyLayer extends Pick<Policy, 'offers' | 'allows'> {
  decide(request: PolicyRequest, held: { readonly isHeld: boolean }): Promise<Verdict>;
}

/** Decides by one set of settings alone. A start has an absolute directory. */
export function createLayer(settings: PolicySettings): PolicyLayer {
  const { mode } = settings;
  const hasTool = createToolFilter(settings.tools);
  const verdictOf = (tool: string, permission: Permission) =>
    toPermissionVerdict(settings, { tool, permission });
  const allows = (tool: string, permission: Permission): boolean => {
    const { type, letsReadersRun } = verdictOf(tool, permission);
    return hasTool(tool) && (type !== 'deny' || letsReadersRun);
  };

  const decide: PolicyLayer['decide'] = async (request, { isHeld }) => {
    const { tool, permission, start } = request;
    if (!hasTool(tool)) return denyTool(tool);
    const { type, letsReadersRun } = verdictOf(tool, permission);
    if (type === 'deny' && !(letsReadersRun && start !== undefined)) return denyPermission(request, mode);
    const reason = toReason(settings, request);
    if (start === undefined) {
      return type === 'allow' ? { type } : { ...toQuestion(request), reason, always: toToolGrants(request) };
    }
    // The other modes ask about or deny what they do not know, wherever it runs.
    const judgement = await judge(start, { settings, isHeld: isHeld && mode === 'auto' });
    if (judgement.type === 'deny') {
      const { type, reason, hint, rule } = judgement;
      return { type, reason, hint, ...(rule !== null && { rule }) };
    }
    const isReader = judgement.type === 'plain' && judgement.isReader;
    if (letsReadersRun && isReader) return { type: 'allow' };
    if (type === 'deny') return denyPermission(request, mode);
    if (judgement.type === 'ask' && (mode !== 'dangerous' || judgement.isWanted)) {
      return toDoubt(request, judgement);
    }
    if (type === 'allow' || judgement.type === 'allow') return { type: 'allow' };
    return { ...toQuestion(request), reason, always: judgement.type === 'plain' ? judgement.always : null };
  };

  return {
    allows,
    offers: ({ name, permissions }) => permissions.some((permission) => allows(name, permission)),
    decide: async (request, held) => {
      const verdict = await decide(request, held);
      return mode === 'ci' && verdict.type === 'ask' ? denyQuestion(verdict.question) : verdict;
    },
  };
}

async function judge(
  start: StartRequest,
  { settings, isHeld }: { settings: PolicySettings; isHeld: boolean },
): Promise<Judgement> {
  try {
    // Loaded here: a program without an agent judges no command.
    const { judgeStart } = await import('./judge/judge-start.ts');
    const { shellGrammar: grammar } = await import('./shell/shell-grammar.ts');
    return await judgeStart(
      { ...start, cwd: start.cwd ?? settings.workspace ?? '/' },
      { settings, grammar, isHeld },
    );
  } catch (error) {
    return {
      type: 'ask',
      why: `could not be checked (${toErrorText(error)})`,
      rule: null,
      isWanted: true,
      always: null,
    };
  }
}

function denyTool(tool: string): Verdict {
  const reason = `This agent has no tool ${quote(tool)}.`;
  return { type: 'deny', reason, hint: 'Use one of your tools.' };
}

function denyPermission({ tool, permission }: PolicyRequest, mode: PolicySettings['mode']): Verdict {
  const what = WORDS[permission];
  const reason =
    mode === 'plan' || mode === 'ci'
      ? `No tool ${what} in the mode ${mode}.`
      : `${tool} may not be used: it ${what}.`;
  const hint =
    mode === 'plan' && permission === 'start'
      ? 'Run only commands that read, such as ls, cat, rg and git diff; describe what you would do, and let the user change the mode.'
      : mode === 'plan'
        ? 'Describe what you would do, and let the user change the mode.'
        : 'Continue without it, or ask the user.';
  return { type: 'deny', reason, hint };
}

function denyQuestion(question: string): Verdict {
  return { type: 'deny', reason: `${question} In mode ci no person is asked.`, hint: 'Continue without it.' };
}

const WORDS: Readonly<Record<Permission, string>> = {
  start: 'starts a process',
  kill: 'ends a process',
  write: 'writes to a process',
  keys: 'presses keys in a process',
  status: 'looks at the state of a process',
  output: 'reads the output of a process',
  list: 'lists processes',
  other: 'is used',
};

type Question = Extract<Verdict, { type: 'ask' }>;

/** Returns the sentence that says what a call would do. */
export function toQuestion({ tool, permission, start }: PolicyRequest): Pick<Question, 'type' | 'question'> {
  const question =
    start === undefined ? `${tool} ${WORDS[permission]}.` : `${tool} starts ${quote(showStart(start))}.`;
  return { type: 'ask', question };
}

/** Asks about an unclear or harmful command each time. `why` is the end of a sentence that begins with "it". */
function toDoubt(
  request: PolicyRequest,
  { why, rule, always }: Extract<Judgement, { type: 'ask' }>,
): Question {
  const { type, question } = toQuestion(request);
  const reason = rule === null ? `It ${why}.` : `It ${why} (rule ${rule}).`;
  return { type, question: `${question} It ${why}.`, reason, always, ...(rule !== null && { rule }) };
}

function toReason({ mode, permissions }: PolicySettings, { tool, permission }: PolicyRequest): string {
  const entry = [tool, permission].find((key) => Object.hasOwn(permissions, key));
  const rule =
    entry === undefined ? `in the mode ${mode}` : `by the entry ${quote(entry)} of its permissions`;
  return `The policy asks, ${rule}, before a tool ${WORDS[permission]}.`;
}

/** Returns grants for a tool. Input, keys and starts without a visible command differ from call to call. */
function toToolGrants({ tool, permission }: PolicyRequest): readonly Grant[] | null {
  if (permission === 'start' || permission === 'write' || permission === 'keys') return null;
  const pattern = `${tool}, whenever it ${WORDS[permission]}`;
  return [{ pattern, key: pattern }];
}

function showStart({ command }: StartRequest): string {
  return typeof command === 'string' ? command : command.join(' ');
}

import { isAbsolute, resolve } from 'node:path';
import { toErrorText } from '../config/error-text.ts';
import type { PolicySettings } from '../config/policy-options.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { Policy, PolicyRequest, PreparedStart, StartRequest, Verdict } from './policy.ts';
import { createLayer, toQuestion } from './policy-layer.ts';
import { openSandbox, type Sandbox } from './sandbox/open-sandbox.ts';
import { toSandboxPlan } from './sandbox/sandbox-plan.ts';
import type { SharedSandbox } from './sandbox/sandbox-runtime.ts';
import { toQuoted } from './shell/word.ts';

/** Combines settings that all apply, outermost first. */
export function combinePolicies(
  layers: readonly [PolicySettings, ...PolicySettings[]],
  shared: SharedSandbox,
): Omit<Policy, 'narrow'> {
  const deciders = layers.map(createLayer);
  const [outermost] = layers;
  const plan = toSandboxPlan(layers);
  let opening: Promise<Sandbox> | null = null;

  /** Opens the sandbox. One that is required and unavailable is tried again at the next start. */
  const open = async (): Promise<Sandbox | null> => {
    if (plan === null) return null;
    opening ??= openSandbox(plan, shared);
    const sandbox = await opening;
    if (sandbox.ok) return sandbox;
    if (plan.isRequired) opening = null;
    else warnOnce(sandbox.why);
    return sandbox;
  };

  const toAbsolute = (cwd: string | undefined): string => {
    const base = outermost.workspace ?? process.cwd();
    if (cwd === undefined) return base;
    return isAbsolute(cwd) ? cwd : resolve(base, cwd);
  };

  const prepare = async (start: StartRequest): Promise<PreparedStart> => {
    const mayBeOutside = start.sandbox === false && plan?.isRequired !== true;
    const sandbox = mayBeOutside ? null : await open();
    if (sandbox?.ok === true) {
      const absolute = { ...start, cwd: toAbsolute(start.cwd) };
      const wrapped = await wrap(sandbox, absolute).catch((error: unknown) => {
        throw plan?.isRequired === true ? toUnavailable(toErrorText(error)) : toFailed(toErrorText(error));
      });
      return { ...wrapped, heldBy: 'sandbox' };
    }
    if (sandbox !== null && plan?.isRequired === true) throw toUnavailable(sandbox.why);
    const heldBy = layers.some(({ restrictToWorkspace }) => restrictToWorkspace) ? 'check' : 'nothing';
    const command = start.command as PreparedStart['command'];
    return { command, env: {}, heldBy, ended: () => {} };
  };

  const askTimeout = Math.min(...layers.map((layer) => layer.askTimeout));
  return {
    settings: { ...(layers.at(-1) ?? outermost), askTimeout },
    layers,
    offers: (tool) => deciders.every((layer) => layer.offers(tool)),
    allows: (tool, permission) => deciders.every((layer) => layer.allows(tool, permission)),
    decide: async (request) => {
      const { start } = request;
      const isOpen = start !== undefined && (await open())?.ok === true;
      const isHeld = isOpen && start.sandbox !== false;
      const absolute =
        start === undefined ? request : { ...request, start: { ...start, cwd: toAbsolute(start.cwd) } };
      const verdict = strictest(
        await Promise.all(deciders.map((layer) => layer.decide(absolute, { isHeld }))),
      );
      return isOpen && !isHeld ? judgeOutside(verdict, { request, layers }) : verdict;
    },
    prepare,
    close: async () => {
      const sandbox = await opening;
      opening = null;
      if (sandbox?.ok === true) await sandbox.close();
    },
  };
}

/** Turns the verdict on a command into that on running it outside the sandbox. */
function judgeOutside(
  verdict: Verdict,
  { request, layers }: { readonly request: PolicyRequest; readonly layers: readonly PolicySettings[] },
): Verdict {
  if (verdict.type === 'deny') return verdict;
  const asked =
    verdict.type === 'ask'
      ? verdict
      : { ...toQuestion(request), reason: 'The call asks to leave the sandbox.', always: null };
  if (layers.some(({ sandbox }) => sandbox === 'require')) {
    const reason = `${asked.question} It would run outside the sandbox, which the policy requires.`;
    return { type: 'deny', reason, hint: 'Start it inside, or ask the user.' };
  }
  if (layers.every(({ mode }) => mode === 'dangerous')) return verdict;
  return { ...asked, question: `${asked.question} It runs outside the sandbox.`, always: null };
}

const told = new Set<string>();

/** Tells why commands are not in a sandbox, once in this program. */
function warnOnce(why: string): void {
  if (told.has(why)) return;
  told.add(why);
  const message = `Commands run without a sandbox, and only their words are checked: ${why}. Install what is missing, or set "sandbox" to "off".`;
  process.emitWarning(message, 'TroupeSandboxWarning');
}

function strictest(verdicts: readonly Verdict[]): Verdict {
  const denial = verdicts.find(({ type }) => type === 'deny');
  const questions = verdicts.filter((verdict) => verdict.type === 'ask');
  // A question that is repeated each time must not hide another.
  const question = questions.find(({ always }) => always === null) ?? questions[0];
  if (denial !== undefined || question === undefined) return denial ?? { type: 'allow' };
  return question.always === null
    ? question
    : { ...question, always: questions.flatMap(({ always }) => always ?? []) };
}

function wrap(
  sandbox: Extract<Sandbox, { ok: true }>,
  { command, cwd, writable = [] }: StartRequest & { readonly cwd: string },
): Promise<Pick<PreparedStart, 'command' | 'env' | 'ended'>> {
  const text = typeof command === 'string' ? command : command.map(toQuoted).join(' ');
  return sandbox.wrap(text, { cwd, writable });
}

function toUnavailable(why: string): TroupeError {
  const message = `The sandbox that the policy requires is not available: ${why}. Install what is missing, or set "sandbox" to "auto".`;
  return new TroupeError({ code: 'sandbox-unavailable', message });
}

/** Error of a sandbox that is available but cannot take a command. */
function toFailed(why: string): TroupeError {
  const message = `Nothing was started: the sandbox failed with the command: ${why}. Start it with "outside_sandbox", or set "sandbox" to "off".`;
  return new TroupeError({ code: 'sandbox-unavailable', message });
}

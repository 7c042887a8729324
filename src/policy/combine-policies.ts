import { isAbsolute, resolve } from 'node:path';
import { toErrorText } from '../config/error-text.ts';
import type { PolicySettings } from '../config/policy-options.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { Policy, PolicyRequest, PreparedStart, StartRequest, Verdict } from './policy.ts';
import { createLayer } from './policy-layer.ts';
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
      const wrapped = await wrap(sandbox, { ...start, cwd: toAbsolute(start.cwd) });
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
      if (start === undefined) {
        return strictest(
          await Promise.all(deciders.map((layer) => layer.decide(request, { isHeld: false }))),
        );
      }
      const isOpen = (await open())?.ok === true;
      const isHeld = isOpen && start.sandbox !== false;
      const absolute = { ...request, start: { ...start, cwd: toAbsolute(start.cwd) } };
      const verdicts = await Promise.all(deciders.map((layer) => layer.decide(absolute, { isHeld })));
      if (isOpen && !isHeld)
        verdicts.push(judgeOutside(request, { isRequired: plan?.isRequired === true, layers }));
      return strictest(verdicts);
    },
    prepare,
    close: async () => {
      const sandbox = await opening;
      opening = null;
      if (sandbox?.ok === true) await sandbox.close();
    },
  };
}

/** Judges the wish to run a command outside the sandbox. */
function judgeOutside(
  { tool }: PolicyRequest,
  { isRequired, layers }: { readonly isRequired: boolean; readonly layers: readonly PolicySettings[] },
): Verdict {
  if (isRequired) {
    const reason = `${tool} wants to start a command outside the sandbox, which the policy requires.`;
    return { type: 'deny', reason, hint: 'Start it inside, or ask the user.' };
  }
  if (layers.every(({ mode }) => mode === 'dangerous')) return { type: 'allow' };
  const question = `${tool} starts a command outside the sandbox.`;
  return { type: 'ask', question, reason: 'It wants out of the sandbox.', always: null };
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

async function wrap(
  sandbox: Extract<Sandbox, { ok: true }>,
  { command, cwd, writable = [] }: StartRequest & { readonly cwd: string },
): Promise<Pick<PreparedStart, 'command' | 'env' | 'ended'>> {
  const text = typeof command === 'string' ? command : command.map(toQuoted).join(' ');
  try {
    return await sandbox.wrap(text, { cwd, writable });
  } catch (error) {
    throw toUnavailable(toErrorText(error));
  }
}

function toUnavailable(why: string): TroupeError {
  const message = `The sandbox that the policy requires is not available: ${why}. Install what is missing, or set "sandbox" to "auto".`;
  return new TroupeError({ code: 'sandbox-unavailable', message });
}

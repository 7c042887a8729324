import { isAbsolute, resolve } from 'node:path';
import { toErrorText } from '../config/error-text.ts';
import type { PolicySettings } from '../config/policy-options.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { Policy, PreparedStart, StartRequest, Verdict } from './policy.ts';
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

  /** Opens the sandbox; an unavailable one is tried again at the next start. */
  const open = async (): Promise<Sandbox | null> => {
    if (plan === null) return null;
    opening ??= openSandbox(plan, shared);
    const sandbox = await opening;
    if (!sandbox.ok) opening = null;
    return sandbox;
  };

  const toAbsolute = (cwd: string | undefined): string => {
    const base = outermost.workspace ?? process.cwd();
    if (cwd === undefined) return base;
    return isAbsolute(cwd) ? cwd : resolve(base, cwd);
  };

  const prepare = async (start: StartRequest): Promise<PreparedStart> => {
    const sandbox = await open();
    if (sandbox?.ok === true) {
      const wrapped = await wrap(sandbox, { ...start, cwd: toAbsolute(start.cwd) });
      return { ...wrapped, env: {}, heldBy: 'sandbox' };
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
      const absolute =
        start === undefined ? request : { ...request, start: { ...start, cwd: toAbsolute(start.cwd) } };
      return strictest(await Promise.all(deciders.map((layer) => layer.decide(absolute))));
    },
    prepare,
    close: async () => {
      const sandbox = await opening;
      opening = null;
      if (sandbox?.ok === true) await sandbox.close();
    },
  };
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
): Promise<Pick<PreparedStart, 'command' | 'ended'>> {
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

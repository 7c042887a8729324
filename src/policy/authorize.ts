import type { Clock } from '../clock/clock.ts';
import { createRealClock } from '../clock/real-clock.ts';
import { formatDuration } from '../config/duration.ts';
import { toErrorText } from '../config/error-text.ts';
import { quote } from '../config/quote.ts';
import type { Grant, Grants } from './grant.ts';
import type { Policy, PolicyRequest } from './policy.ts';

/** A call of a tool, as the person sees it who is asked about it. */
export interface PermissionCall extends PolicyRequest {
  /** What the model gave to the tool. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The call's id in the transcript, or of the client's request; `null` where calls have none. */
  readonly callId: string | null;
  /** The agent that makes the call: its name, or the owner of its processes where it has none. */
  readonly agent: string;
}

/** What a person is asked before a call is made. */
export interface PermissionQuestion extends PermissionCall {
  /** What would happen, as a sentence. */
  readonly question: string;
  /** Why a person is asked, as a sentence. */
  readonly reason: string;
  /**
   * What the answer `'always'` would allow, to be shown before it is given: patterns such as `git status *`. `null` where the policy
   * cannot tell what the call does; then `'always'` counts as `true`.
   */
  readonly always: readonly string[] | null;
}

/** `'always'` allows this call, and without a question all later ones of this conversation that `always` covers. */
export type Consent = boolean | 'always';

/**
 * Asks a person; resolves with whether the call may be made. The signal is aborted when no answer is wanted any more: it came too
 * late, another answer covers the call, or there is no conversation left.
 */
export type Ask = (question: PermissionQuestion, signal: AbortSignal) => Promise<Consent>;

type Authorization = { readonly ok: true } | { readonly ok: false; readonly error: string };

/** Who decides. */
interface AuthorizeDeps {
  readonly policy: Pick<Policy, 'decide' | 'settings'>;
  /** `null` where there is nobody to ask. */
  readonly ask: Ask | null;
  /** What the person has allowed for good. */
  readonly grants: Grants;
  /** Aborted when nobody waits for the call any more. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/** Lets a call pass, or says why not: by the policy's own verdict, or by the person that it asks. Never rejects. */
export async function authorize(
  call: PermissionCall,
  { policy, ask, grants, signal, clock = createRealClock() }: AuthorizeDeps,
): Promise<Authorization> {
  const { tool, permission, start } = call;
  const verdict = await policy.decide({ tool, permission, ...(start !== undefined && { start }) });
  if (verdict.type === 'allow') return { ok: true };
  if (verdict.type === 'deny') return refuse(`${verdict.reason} ${verdict.hint}`.trim());
  const { question, reason, always: needed } = verdict;
  if (grants.cover(needed)) return { ok: true };
  if (ask === null) return refuse(`${question} That needs somebody's consent, and there is nobody to ask.`);
  const always = needed?.map(({ pattern }) => pattern) ?? null;
  const timeoutMs = policy.settings.askTimeout;
  return askInTime({ ...call, question, reason, always }, { ask, grants, needed, signal, clock, timeoutMs });
}

interface Asking {
  readonly ask: Ask;
  readonly grants: Grants;
  readonly needed: readonly Grant[] | null;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** The first of an answer, the end of the time and the end of the conversation decides; what comes later changes nothing. */
function askInTime(
  question: PermissionQuestion,
  { ask, grants, needed, signal, clock, timeoutMs }: Asking,
): Promise<Authorization> {
  const stop = new AbortController();
  return new Promise((resolve) => {
    const settle = (authorization: Authorization): void => {
      cancel();
      stopListening();
      signal.removeEventListener('abort', leave);
      resolve(authorization);
    };
    const giveUp = (why: string): void => {
      settle(refuse(`${question.question} ${why}`));
      stop.abort();
    };
    const leave = () => giveUp('The question was given up before somebody answered.');
    const late = () =>
      giveUp(`Nobody answered within ${formatDuration(timeoutMs)}, and without consent it is not done.`);
    const cancel = clock.at(clock.nowMs() + timeoutMs, late);
    const stopListening = grants.onAdded(() => {
      if (!grants.cover(needed)) return;
      settle({ ok: true });
      stop.abort();
    });
    const take = (consent: Consent | Error) => {
      settle(toAuthorization(consent, question));
      // A late answer grants nothing.
      if (consent === 'always' && needed !== null && !stop.signal.aborted) grants.add(needed);
    };
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    else askSafely(ask, question, stop.signal).then(take);
  });
}

async function askSafely(ask: Ask, question: PermissionQuestion, signal: AbortSignal) {
  try {
    return await ask(question, signal);
  } catch (error) {
    return new Error(toErrorText(error));
  }
}

function toAuthorization(consent: Consent | Error, { question }: PermissionQuestion): Authorization {
  if (consent === true || consent === 'always') return { ok: true };
  if (consent instanceof Error)
    return refuse(`${question} Asking somebody failed: ${quote(consent.message)}.`);
  return refuse(`The user did not consent. ${question}`);
}

function refuse(why: string): Authorization {
  return { ok: false, error: `Denied: ${why}` };
}

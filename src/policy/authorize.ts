import type { Clock } from '../clock/clock.ts';
import { createRealClock } from '../clock/real-clock.ts';
import { formatDuration } from '../config/duration.ts';
import { toErrorText } from '../config/error-text.ts';
import { quote } from '../config/quote.ts';
import type { Grant, Grants } from './grant.ts';
import type { Policy, PolicyRequest } from './policy.ts';

/** Tool call as shown to the person who is asked about it. */
export interface PermissionCall extends PolicyRequest {
  /** Arguments given by the model. */
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Id of the call in the transcript, or of the client's request; `null` where calls have none. */
  readonly callId: string | null;
  /** Agent that makes the call: its name, or the owner of its processes. */
  readonly agent: string;
}

/** Question to a person before a call is made. */
export interface PermissionQuestion extends PermissionCall {
  /** Effect of the call, as a sentence. */
  readonly question: string;
  /** Reason for asking, as a sentence. */
  readonly reason: string;
  /**
   * Patterns that the answer `'always'` would allow, such as `git status *`, to be shown beforehand. `null` where the
   * policy cannot tell what the call does; then `'always'` counts as `true`.
   */
  readonly always: readonly string[] | null;
}

/**
 * Answer of a person. `'always'` allows this call and, without further questions, all later calls of this conversation
 * that `always` covers.
 */
export type Consent = boolean | 'always';

/**
 * Asks a person; resolves with whether the call may be made. The signal is aborted when no answer is needed any more:
 * the time is over, another answer covers the call, or the conversation has ended.
 */
export type Ask = (question: PermissionQuestion, signal: AbortSignal) => Promise<Consent>;

type Authorization = { readonly ok: true } | { readonly ok: false; readonly error: string };

/** Dependencies of an authorization. */
interface AuthorizeDeps {
  readonly policy: Pick<Policy, 'decide' | 'settings'>;
  /** `null` where no person can be asked. */
  readonly ask: Ask | null;
  /** Permissions that the person granted permanently. */
  readonly grants: Grants;
  /** Aborted when the caller stops waiting. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/** Decision about a call before it is made. */
export type CallDecision =
  | { readonly type: 'allow' }
  /** A person decides. */
  | {
      readonly type: 'ask';
      readonly question: PermissionQuestion;
      /** Permissions that the answer `'always'` grants. */
      readonly needed: readonly Grant[] | null;
    }
  /** `reason` says what was refused, by which rule, and what to do instead. */
  | { readonly type: 'deny'; readonly reason: string };

/** Decides by the policy and the earlier grants of a person. Never rejects, and asks no person. */
export async function decideCall(
  call: PermissionCall,
  { policy, grants }: Pick<AuthorizeDeps, 'policy' | 'grants'>,
): Promise<CallDecision> {
  const { tool, permission, start } = call;
  const verdict = await policy.decide({ tool, permission, ...(start !== undefined && { start }) });
  if (verdict.type === 'allow') return verdict;
  if (verdict.type === 'deny') {
    return { type: 'deny', reason: `Denied: ${`${verdict.reason} ${verdict.hint}`.trim()}` };
  }
  const { question, reason, always: needed } = verdict;
  if (grants.cover(needed)) return { type: 'allow' };
  const always = needed?.map(({ pattern }) => pattern) ?? null;
  return { type: 'ask', question: { ...call, question, reason, always }, needed };
}

/**
 * Authorizes a call, or explains the refusal, by the verdict of the policy or the person that it asks. Never rejects.
 */
export async function authorize(
  call: PermissionCall,
  { policy, ask, grants, signal, clock = createRealClock() }: AuthorizeDeps,
): Promise<Authorization> {
  const decision = await decideCall(call, { policy, grants });
  if (decision.type === 'allow') return { ok: true };
  if (decision.type === 'deny') return { ok: false, error: decision.reason };
  const { question, needed } = decision;
  if (ask === null) return refuse(`${question.question} That needs consent, and there is no person to ask.`);
  return askInTime(question, { ask, grants, needed, signal, clock, timeoutMs: policy.settings.askTimeout });
}

interface Asking {
  readonly ask: Ask;
  readonly grants: Grants;
  readonly needed: readonly Grant[] | null;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** Settles by the first of an answer, the time limit and the end of the conversation; later events have no effect. */
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
    const leave = () => giveUp('The question was withdrawn before an answer.');
    const late = () => giveUp(`No answer within ${formatDuration(timeoutMs)}, so the call is not made.`);
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
  if (consent instanceof Error) return refuse(`${question} Asking failed: ${quote(consent.message)}.`);
  return refuse(`The user did not consent. ${question}`);
}

function refuse(why: string): Authorization {
  return { ok: false, error: `Denied: ${why}` };
}

import type { Clock } from '../clock/clock.ts';
import { createRealClock } from '../clock/real-clock.ts';
import { formatDuration } from '../config/duration.ts';
import { toErrorText } from '../config/error-text.ts';
import { quote } from '../config/quote.ts';
import type { Policy, PolicyRequest } from './policy.ts';

/** What a person is asked before a call is made. */
export interface PermissionQuestion extends PolicyRequest {
  readonly question: string;
}

/**
 * Asks a person; resolves with whether the call may be made. The signal is aborted when no answer is wanted any more: it came too
 * late, or there is no conversation left.
 */
export type Ask = (question: PermissionQuestion, signal: AbortSignal) => Promise<boolean>;

export type Passage = { readonly ok: true } | { readonly ok: false; readonly error: string };

/** Who decides. */
export interface Gatekeeping {
  readonly policy: Pick<Policy, 'decide' | 'settings'>;
  /** `null` where there is nobody to ask. */
  readonly ask: Ask | null;
  /** Aborted when nobody waits for the call any more. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/** Lets a call pass, or says why not: by the policy's own verdict, or by the person that it asks. Never rejects. */
export async function passGate(
  request: PolicyRequest,
  { policy, ask, signal, clock = createRealClock() }: Gatekeeping,
): Promise<Passage> {
  const verdict = await policy.decide(request);
  if (verdict.type === 'allow') return { ok: true };
  if (verdict.type === 'deny') return refuse(`${verdict.reason} ${verdict.hint}`.trim());
  const { question } = verdict;
  if (ask === null) return refuse(`${question} That needs somebody's consent, and there is nobody to ask.`);
  return askInTime({ ...request, question }, { ask, signal, clock, timeoutMs: policy.settings.askTimeout });
}

/** The first of an answer, the end of the time and the end of the conversation decides; what comes later changes nothing. */
function askInTime(
  question: PermissionQuestion,
  { ask, signal, clock, timeoutMs }: { ask: Ask; signal: AbortSignal; clock: Clock; timeoutMs: number },
): Promise<Passage> {
  const stop = new AbortController();
  return new Promise((resolve) => {
    const settle = (passage: Passage): void => {
      cancel();
      signal.removeEventListener('abort', leave);
      resolve(passage);
    };
    const giveUp = (why: string): void => {
      settle(refuse(`${question.question} ${why}`));
      stop.abort();
    };
    const leave = () => giveUp('The question was given up before somebody answered.');
    const late = () =>
      giveUp(`Nobody answered within ${formatDuration(timeoutMs)}, and without consent it is not done.`);
    const cancel = clock.at(clock.nowMs() + timeoutMs, late);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    else askSafely(ask, question, stop.signal).then(settle);
  });
}

async function askSafely(ask: Ask, question: PermissionQuestion, signal: AbortSignal): Promise<Passage> {
  try {
    const answer = await ask(question, signal);
    return answer === true ? { ok: true } : refuse(`The user did not consent. ${question.question}`);
  } catch (error) {
    return refuse(`${question.question} Asking somebody failed: ${quote(toErrorText(error))}.`);
  }
}

function refuse(why: string): Passage {
  return { ok: false, error: `Denied: ${why}` };
}

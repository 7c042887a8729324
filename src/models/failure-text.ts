import { formatDuration } from '../config/duration.ts';
import { type ModelFailure, maxRetryAfterMs } from './model-error.ts';

/** Why a model gave no reply, in a sentence. `text` is what the endpoint said of it, as a sentence. */
export function describeFailure(facts: {
  readonly failure: ModelFailure;
  /** The endpoint's address; `null` where that is unknown. */
  readonly address: string | null;
  readonly status: number | null;
  readonly text: string;
  readonly retryAfterMs: number | null;
}): string {
  const { address, status, text, retryAfterMs } = facts;
  const where = address ?? 'The model';
  const number = status === null ? '' : ` (${status})`;
  return `${describe(facts.failure, { where, number, text })}${describeWait(retryAfterMs)}`;
}

function describe(
  failure: ModelFailure,
  { where, number, text }: { where: string; number: string; text: string },
): string {
  switch (failure) {
    case 'unauthorized':
      return `${where} does not accept the key${number}: ${text}`;
    case 'rateLimited':
      return `${where} has had too many requests${number}: ${text}`;
    case 'unavailable':
      return `${where} is unavailable${number}: ${text}`;
    case 'cut':
      return `${where} stopped in the middle: ${text}`;
    case 'invalid':
      return `${where} answered what is no reply: ${text}`;
    case 'tooLong':
      return `${where} takes no conversation of this length${number}: ${text}`;
    case 'refused':
      return number === '' ? text : `${where} refused the request${number}: ${text}`;
  }
}

/** A short wait is nobody's business. */
function describeWait(retryAfterMs: number | null): string {
  if (retryAfterMs === null || retryAfterMs <= maxRetryAfterMs) return '';
  return ` It wants to be asked again in ${formatDuration(retryAfterMs)} at the earliest.`;
}

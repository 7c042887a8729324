import type { ModelFailure } from './model-error.ts';

/** What an HTTP status says of a request to a model. 529 is Anthropic's for an overload. */
export function failureOfStatus(status: number): ModelFailure {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 429) return 'rateLimited';
  if (status === 408 || status === 409 || status === 425 || status >= 500) return 'unavailable';
  return 'refused';
}

/** Codes and types in the bodies of errors, as endpoints name them; a status in there counts as well. */
const CODES: readonly (readonly [RegExp, ModelFailure])[] = [
  // Comes as 429, and waiting does not help.
  [/insufficient_quota|billing/i, 'refused'],
  [/authentication|permission|unauthenticated|api_?key/i, 'unauthorized'],
  [/rate_?limit|resource_?exhausted|too_many_requests/i, 'rateLimited'],
  [/context_length|invalid_request|invalid_argument|not_found|content_filter/i, 'refused'],
  [/overloaded|unavailable|server_error|api_error|internal|timeout|deadline/i, 'unavailable'],
];

/** `null` where the words are unknown. */
export function failureOfCode(code: string): ModelFailure | null {
  return CODES.find(([pattern]) => pattern.test(code))?.[1] ?? null;
}

import {
  describeFailure,
  failureOfCode,
  failureOfStatus,
  findNetworkCause,
  fromValue,
  isTooLong,
  readEndpointMessage,
  readRetryAfter,
  toLine,
  toSentence,
} from './endpoint-failure.ts';

import { ModelError, type ModelFailure } from './model-error.ts';

/** Errors of the platform and of the AI SDK, by name. */
const NAMES: Readonly<Record<string, ModelFailure>> = {
  AbortError: 'cut',
  TimeoutError: 'cut',
  ResponseAborted: 'cut',
  AI_LoadAPIKeyError: 'unauthorized',
  AI_EmptyResponseBodyError: 'invalid',
  AI_InvalidResponseDataError: 'invalid',
  AI_JSONParseError: 'invalid',
  AI_NoContentGeneratedError: 'invalid',
  AI_TypeValidationError: 'invalid',
};

/**
 * Converts any error of a model. Errors of the AI SDK and of provider libraries are recognized by their
 * status, failed connections by their code; all others are `refused`, since a programming mistake repeats
 * itself.
 *
 * Check your own signal first: an abort that you did not request counts as `cut`.
 */
export function toModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  const facts = toFacts(error);
  const network = facts.status === null ? findNetworkCause(error) : null;
  if (network !== null) {
    const where = facts.url === null ? 'the model' : facts.url;
    return new ModelError({
      failure: 'unavailable',
      message: `Cannot reach ${where}: ${network}.`,
      cause: error,
    });
  }
  const failure = toFailure(facts);
  const retryAfterMs = readRetryAfter((name) => facts.headers[name]);
  return new ModelError({
    failure,
    message: describeFailure({
      failure,
      address: facts.url,
      status: facts.status,
      text: facts.text,
      retryAfterMs,
    }),
    retryAfterMs,
    cause: error,
  });
}

interface ErrorFacts {
  readonly name: string;
  readonly text: string;
  readonly code: string;
  readonly status: number | null;
  readonly url: string | null;
  readonly isRetryable: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

function toFacts(error: unknown): ErrorFacts {
  const record = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  const status = record['statusCode'] ?? record['status'];
  const url = record['url'];
  const body = record['responseBody'];
  // The AI SDK's message is only the status text if it cannot read the body.
  const said = typeof body === 'string' && body.trim() !== '' ? readEndpointMessage(body) : fromValue(error);
  return {
    name: String(record['name'] ?? ''),
    text: toSentence(said?.text ?? toLine(String(error))),
    code: said?.code ?? '',
    status: typeof status === 'number' ? status : null,
    url: typeof url === 'string' && URL.canParse(url) ? withoutQuery(url) : null,
    isRetryable: record['isRetryable'] === true,
    headers: toRecord(record['responseHeaders'] ?? record['headers']),
  };
}

function toFailure({ name, code, status, text, isRetryable }: ErrorFacts): ModelFailure {
  const known = NAMES[name] ?? null;
  if (known !== null) return known;
  if (isTooLong({ status, code, text })) return 'tooLong';
  const ofCode = failureOfCode(code);
  if (status !== null) return status === 429 && ofCode === 'refused' ? 'refused' : failureOfStatus(status);
  return ofCode ?? (isRetryable ? 'unavailable' : 'refused');
}

/** Removes the query, which may contain a key. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function toRecord(headers: unknown): Readonly<Record<string, string>> {
  if (headers instanceof Headers) return Object.fromEntries(headers);
  if (typeof headers !== 'object' || headers === null) return {};
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}

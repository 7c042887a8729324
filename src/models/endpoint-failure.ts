import { formatDuration } from '../config/duration.ts';
import { shorten } from '../config/quote.ts';
import { type ModelFailure, maxRetryAfterMs } from './model-error.ts';

const MAX_LENGTH = 500;

/** The message and code of an endpoint's error. */
interface EndpointMessage {
  readonly text: string;
  /** Code, type and status of the error, joined; `''` without any. */
  readonly code: string;
}

/**
 * Reads the body of an error: `{error: {message}}`, `{error}`, `{message}`, `{detail}`, a list of these, or
 * any other text.
 */
export function readEndpointMessage(body: string): EndpointMessage {
  try {
    return fromValue(JSON.parse(body)) ?? { text: toLine(body), code: '' };
  } catch {
    return { text: toLine(body), code: '' };
  }
}

/** Reads a parsed value; `null` if it contains no text. */
export function fromValue(value: unknown): EndpointMessage | null {
  if (typeof value === 'string') return value.trim() === '' ? null : { text: toLine(value), code: '' };
  if (Array.isArray(value)) return fromValue(value[0]);
  if (typeof value !== 'object' || value === null) return null;
  const { error, message, detail, msg, code, type, status } = value as Record<string, unknown>;
  const found = fromValue(error) ?? fromValue(message) ?? fromValue(detail) ?? fromValue(msg);
  if (found === null) return null;
  const words = [found.code, code, type, status].filter((word) => typeof word === 'string' && word !== '');
  return { text: found.text, code: words.join(' ') };
}

/** Puts text on one line, shortened and without control characters. */
export function toLine(text: string): string {
  const line = text
    .replace(/[\s\x00-\x1f\x7f-\x9f]+/g, ' ')
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .trim();
  return shorten(line, MAX_LENGTH);
}

/** Ends text with a full stop. */
export function toSentence(text: string): string {
  return /[.!?…:]$/.test(text) ? text : `${text}.`;
}

/** Describes in a sentence why a model gave no reply. `text` is the endpoint's message, as a sentence. */
export function describeFailure(facts: {
  readonly failure: ModelFailure;
  /** The endpoint's address; `null` if unknown. */
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
      return `${where} sent something other than a reply: ${text}`;
    case 'tooLong':
      return `${where} cannot take a conversation of this length${number}: ${text}`;
    case 'refused':
      return number === '' ? text : `${where} refused the request${number}: ${text}`;
  }
}

/** Omits short waits. */
function describeWait(retryAfterMs: number | null): string {
  if (retryAfterMs === null || retryAfterMs <= maxRetryAfterMs) return '';
  return ` Try again in ${formatDuration(retryAfterMs)} at the earliest.`;
}

/** An endpoint's response to a failed request. */
interface RefusalFacts {
  /** `null` if the failure came inside a stream, or from a library that does not report it. */
  readonly status: number | null;
  /** Code, type or status of the error in words; `''` without any. */
  readonly code: string;
  readonly text: string;
}

/** OpenAI, Groq and Azure: `context_length_exceeded`; llama.cpp: `exceed_context_size_error`; Anthropic: `request_too_large`. */
const TOO_LONG_CODE =
  /context_(length|size|window)|request_too_large|payload too large|string_above_max_length/i;

/**
 * Messages of endpoints without such a code. A limit of tokens per minute matches only if one request exceeds
 * it.
 */
const TOO_LONG_TEXT = [
  // OpenAI, vLLM, DeepSeek, OpenRouter, xAI, Mistral, Ollama, LM Studio
  /(maximum|available|max|model's|input) (context|prompt) (length|size|window)|context length of only/i,
  // Anthropic, Bedrock
  /prompt is too long|input is too long|exceeds? (the )?context (limit|window|length|size)/i,
  // Google, Cohere
  /(input )?token count .*exceeds|too many (input )?tokens|exceeds the maximum number of tokens/i,
  // Groq; OpenAI's limits per minute
  /reduce the length of the messages|request too large/i,
];

/** Returns true if an endpoint refused a request because its messages are too long. */
export function isTooLong({ status, code, text }: RefusalFacts): boolean {
  if (status === 413) return true;
  if (status === 401 || status === 403) return false;
  return TOO_LONG_CODE.test(code) || TOO_LONG_TEXT.some((pattern) => pattern.test(text));
}

/** Maps an HTTP status of a model request. 529 is Anthropic's for an overload. */
export function failureOfStatus(status: number): ModelFailure {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 429) return 'rateLimited';
  if (status === 408 || status === 409 || status === 425 || status >= 500) return 'unavailable';
  return 'refused';
}

/** Maps codes and types in error bodies, including a status there. */
const CODES: readonly (readonly [RegExp, ModelFailure])[] = [
  // Sent with 429, but waiting does not help.
  [/insufficient_quota|billing/i, 'refused'],
  [/authentication|permission|unauthenticated|api_?key/i, 'unauthorized'],
  [/rate_?limit|resource_?exhausted|too_many_requests/i, 'rateLimited'],
  [/invalid_request|invalid_argument|not_found|content_filter/i, 'refused'],
  [/overloaded|unavailable|server_error|api_error|internal|timeout|deadline/i, 'unavailable'],
];

/** Returns `null` for unknown codes. */
export function failureOfCode(code: string): ModelFailure | null {
  return CODES.find(([pattern]) => pattern.test(code))?.[1] ?? null;
}

/** Descriptions of the errors that `fetch` hides in causes. */
const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens there',
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the host name could not be resolved',
  ETIMEDOUT: 'no answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'no answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'no more data arrived in time',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the network',
};

/** Describes a failed connection: `no server listens there (ECONNREFUSED)`; `null` for other errors. */
export function findNetworkCause(error: unknown): string | null {
  for (const cause of causesOf(error)) {
    const { code } = cause as { code?: unknown };
    if (
      typeof code !== 'string' ||
      !/^(E[A-Z]|UND_ERR|CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code)
    )
      continue;
    const words = WORDS[code];
    return words === undefined ? `${(cause as Error).message} (${code})` : `${words} (${code})`;
  }
  return null;
}

/** Returns an error, its causes, and the errors it aggregates. */
function causesOf(error: unknown): readonly object[] {
  const found: object[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || found.includes(value) || found.length > 16) return;
    found.push(value);
    const { cause, errors } = value as { cause?: unknown; errors?: unknown };
    visit(cause);
    if (Array.isArray(errors)) for (const one of errors) visit(one);
  };
  visit(error);
  return found;
}

/**
 * Reads how long an endpoint wants clients to wait, in milliseconds: `retry-after-ms`, or `retry-after` in
 * seconds or as a date (RFC 9110, section 10.2.3). `null` if it says nothing readable.
 */
export function readRetryAfter(header: (name: string) => string | null | undefined): number | null {
  const ms = toAmount(header('retry-after-ms'));
  if (ms !== null) return ms;
  const value = header('retry-after');
  const seconds = toAmount(value);
  if (seconds !== null) return seconds * 1_000;
  const atMs = Date.parse(value ?? '');
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - Date.now());
}

function toAmount(value: string | null | undefined): number | null {
  const text = value?.trim() ?? '';
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : null;
}

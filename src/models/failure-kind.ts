import type { ModelFailure } from './model-error.ts';

/** What an endpoint says of a failed request. */
export interface RefusalFacts {
  /** `null` where the failure came inside a stream, or from a library that does not tell. */
  readonly status: number | null;
  /** Its code, type or status in words; `''` where it has none. */
  readonly code: string;
  readonly text: string;
}

/** OpenAI, Groq and Azure: `context_length_exceeded`; llama.cpp: `exceed_context_size_error`; Anthropic: `request_too_large`. */
const TOO_LONG_CODE =
  /context_(length|size|window)|request_too_large|payload too large|string_above_max_length/i;

/** The same in the words of those that have no code for it. A limit of tokens per minute is meant only where one request exceeds it. */
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

/** Whether an endpoint refused a request because its messages are too long. */
export function isTooLong({ status, code, text }: RefusalFacts): boolean {
  if (status === 413) return true;
  if (status === 401 || status === 403) return false;
  return TOO_LONG_CODE.test(code) || TOO_LONG_TEXT.some((pattern) => pattern.test(text));
}

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
  [/invalid_request|invalid_argument|not_found|content_filter/i, 'refused'],
  [/overloaded|unavailable|server_error|api_error|internal|timeout|deadline/i, 'unavailable'],
];

/** `null` where the words are unknown. */
export function failureOfCode(code: string): ModelFailure | null {
  return CODES.find(([pattern]) => pattern.test(code))?.[1] ?? null;
}

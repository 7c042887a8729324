import { z } from 'zod';
import { type Duration, duration } from '../config/duration.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';

/** Node's `fetch` gives up after this time without a byte, regardless of our settings. */
const MAX_IDLE_MS = 300_000;

const idleTimeout = duration.refine((ms) => ms > 0 && ms <= MAX_IDLE_MS, 'more than 0 and at most "5m"');

/** Options of a model behind an OpenAI-compatible endpoint. Only `model` is required. */
export interface OpenAiModelOptions {
  /** The URL before `/chat/completions`. Default: `OPENAI_BASE_URL` of the environment, or OpenAI's own. */
  readonly baseUrl?: string | undefined;
  /** Sent as a bearer token, if given. Default: none. */
  readonly apiKey?: string | undefined;
  /** The variable with the key, for messages. Default `OPENAI_API_KEY`. */
  readonly apiKeyVariable?: string | undefined;
  /** The endpoint's name of the model. */
  readonly model: string;
  /** The name in records. Default: `model`. */
  readonly name?: string | undefined;
  /** Sampling temperature, from 0. Default: the endpoint's. */
  readonly temperature?: number | undefined;
  /** Limit of one reply, in tokens. Default: the endpoint's. */
  readonly maxTokens?: number | undefined;
  /** Headers sent with each request, overriding ours. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Maximum silence in the middle of a request; at most 5 min. Default 5 min. */
  readonly idleTimeout?: Duration | undefined;
  /**
   * `strict` for endpoints that refuse a user message after tool results or after another one. Default
   * `free`.
   */
  readonly alternation?: 'free' | 'strict' | undefined;
}

/** Schema of `OpenAiModelOptions`. */
export const openAiOptions = z.strictObject({
  baseUrl: z
    .string()
    .refine(
      isEndpoint,
      'an http or https URL such as "http://127.0.0.1:11434/v1", without a user and "/chat/completions" (where it is left out, OPENAI_BASE_URL is)',
    )
    .prefault(() => process.env['OPENAI_BASE_URL']?.trim() || 'https://api.openai.com/v1'),
  apiKey: z
    .string()
    .refine((key) => /^[\x21-\x7e]+$/.test(key), 'a key without spaces and line breaks')
    .optional(),
  apiKeyVariable: z.string().min(1).default('OPENAI_API_KEY'),
  model: z.string().min(1),
  name: z.string().min(1).optional(),
  temperature: z.number().min(0).optional(),
  maxTokens: z.int().min(1).optional(),
  headers: z.record(z.string(), z.string()).default({}),
  idleTimeout: idleTimeout.default(MAX_IDLE_MS),
  alternation: z.enum(['free', 'strict']).default('free'),
});

export type OpenAiSettings = z.output<typeof openAiOptions>;

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, pathname } = new URL(text);
  if (username !== '' || password !== '' || /\/chat\/completions\/*$/.test(pathname)) return false;
  return protocol === 'http:' || protocol === 'https:';
}

/** Settings of a model of the AI SDK. */
export interface AiSdkModelSettings {
  /** The name in records. Default: provider and model, such as `anthropic.messages/claude-opus-4-5`. */
  readonly name?: string | undefined;
  /** Sampling temperature, from 0. Default: the provider's. */
  readonly temperature?: number | undefined;
  /** Limit of one reply, in tokens. Default: the provider's. */
  readonly maxTokens?: number | undefined;
  /** Amount of thinking. Default: the provider's. */
  readonly reasoning?:
    | 'provider-default'
    | 'none'
    | 'minimal'
    | 'low'
    | 'medium'
    | 'high'
    | 'xhigh'
    | 'max'
    | undefined;
  /** Headers sent with each request. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Options of one provider, under its name: `{ anthropic: { cacheControl: { type: 'ephemeral' } } }`. Default: none. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, JsonValue>>>> | undefined;
  /** Maximum silence in the middle of a request; at most 5 min. Default 5 min. */
  readonly idleTimeout?: Duration | undefined;
  /** `strict` for providers that refuse a user message after tool results, such as Mistral. Default `free`. */
  readonly alternation?: 'free' | 'strict' | undefined;
}

/** A value that JSON can hold. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** Schema of `AiSdkModelSettings`. */
export const aiSdkSettings = z.strictObject({
  name: z.string().min(1).optional(),
  temperature: z.number().min(0).optional(),
  maxTokens: z.int().min(1).optional(),
  reasoning: z
    .enum(['provider-default', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])
    .optional(),
  headers: z.record(z.string(), z.string()).optional(),
  providerOptions: z.record(z.string(), z.record(z.string(), z.json())).optional(),
  idleTimeout: idleTimeout.default(300_000),
  alternation: z.enum(['free', 'strict']).default('free'),
});

/**
 * Refuses headers that cannot be sent; values may be secrets and are not shown.
 *
 * @throws TroupeError `invalid-option`
 */
export function checkHeaders(headers: Readonly<Record<string, string>>, name: string): void {
  for (const [header, value] of Object.entries(headers)) {
    const problem = findProblem(header, value);
    if (problem === null) continue;
    const message = `${name}: "headers" has ${quote(header)}, ${problem}.`;
    throw new TroupeError({ code: 'invalid-option', message });
  }
}

function findProblem(header: string, value: string): string | null {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header)) return 'which is not a header name';
  if (!/^[\t\x20-\x7e]*$/.test(value)) return 'whose value is not one line of ASCII';
  return null;
}

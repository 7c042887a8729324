import { z } from 'zod';
import { duration } from '../config/duration.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';

/** Node's `fetch` gives up after this time without a byte, regardless of our settings. */
const MAX_IDLE_MS = 300_000;

const idleTimeout = duration.refine((ms) => ms > 0 && ms <= MAX_IDLE_MS, 'more than 0 and at most "5m"');

/** Options of a model behind an OpenAI-compatible endpoint. */
export const openAiOptions = z.strictObject({
  /** The URL before `/chat/completions`. Default: `OPENAI_BASE_URL` of the environment, or OpenAI's own. */
  baseUrl: z
    .string()
    .refine(
      isEndpoint,
      'an http or https URL such as "http://127.0.0.1:11434/v1", without a user and "/chat/completions" (where it is left out, OPENAI_BASE_URL is)',
    )
    .prefault(() => process.env['OPENAI_BASE_URL']?.trim() || 'https://api.openai.com/v1'),
  /** Sent as a bearer token, if given. */
  apiKey: z
    .string()
    .refine((key) => /^[\x21-\x7e]+$/.test(key), 'a key without spaces and line ends')
    .optional(),
  /** The variable with the key, for messages. Default `OPENAI_API_KEY`. */
  apiKeyVariable: z.string().min(1).default('OPENAI_API_KEY'),
  /** The endpoint's name of the model. */
  model: z.string().min(1),
  /** The name in records. Default: `model`. */
  name: z.string().min(1).optional(),
  temperature: z.number().min(0).optional(),
  /** Limit of one reply. Default: the endpoint's. */
  maxTokens: z.int().min(1).optional(),
  /** Sent with each request, overriding ours. */
  headers: z.record(z.string(), z.string()).default({}),
  /** Maximum silence in the middle of a request. Default and maximum: 5 min. */
  idleTimeout: idleTimeout.default(MAX_IDLE_MS),
  /**
   * `strict` for endpoints that refuse a user message after tool results or after another one. Default
   * `free`.
   */
  alternation: z.enum(['free', 'strict']).default('free'),
});

export type OpenAiModelOptions = z.input<typeof openAiOptions>;
export type OpenAiSettings = z.output<typeof openAiOptions>;

function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, pathname } = new URL(text);
  if (username !== '' || password !== '' || /\/chat\/completions\/*$/.test(pathname)) return false;
  return protocol === 'http:' || protocol === 'https:';
}

/** Settings of a model of the AI SDK. */
export const aiSdkSettings = z.strictObject({
  /** The name in records. Default: provider and model, such as `anthropic.messages/claude-opus-4-5`. */
  name: z.string().min(1).optional(),
  temperature: z.number().min(0).optional(),
  /** Limit of one reply. Default: the provider's. */
  maxTokens: z.int().min(1).optional(),
  /** Amount of thinking. */
  reasoning: z
    .enum(['provider-default', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])
    .optional(),
  headers: z.record(z.string(), z.string()).optional(),
  /** Options of one provider, under its name: `{ anthropic: { cacheControl: { type: 'ephemeral' } } }`. */
  providerOptions: z.record(z.string(), z.record(z.string(), z.json())).optional(),
  /** Maximum silence in the middle of a request. Default and maximum: 5 min. */
  idleTimeout: idleTimeout.default(300_000),
  /** `strict` for providers that refuse a user message after tool results, such as Mistral. Default `free`. */
  alternation: z.enum(['free', 'strict']).default('free'),
});

export type AiSdkModelSettings = z.input<typeof aiSdkSettings>;

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
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header)) return 'which is no name of a header';
  if (!/^[\t\x20-\x7e]*$/.test(value)) return 'whose value is not one line of ASCII';
  return null;
}

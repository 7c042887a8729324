import { z } from 'zod';
import { duration } from '../config/duration.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';

/** Node's `fetch` gives up after so long without a byte, whatever we allow. */
const MAX_IDLE_MS = 300_000;

const idleTimeout = duration.refine((ms) => ms > 0 && ms <= MAX_IDLE_MS, 'more than 0 and at most "5m"');

/** Options of a model behind an OpenAI-compatible endpoint. */
export const openAiOptions = z.strictObject({
  /** Up to and without `/chat/completions`. Default: `OPENAI_BASE_URL` of the environment, or OpenAI's own. */
  baseUrl: z
    .string()
    .refine(
      isEndpoint,
      'an http or https URL such as "http://127.0.0.1:11434/v1", without a user and "/chat/completions" (where it is left out, OPENAI_BASE_URL is)',
    )
    .prefault(() => process.env['OPENAI_BASE_URL']?.trim() || 'https://api.openai.com/v1'),
  /** Sent as a bearer token; without one, nothing is sent. */
  apiKey: z
    .string()
    .refine((key) => /^[\x21-\x7e]+$/.test(key), 'a key without spaces and line ends')
    .optional(),
  /** The variable that the key comes from, for messages. Default `OPENAI_API_KEY`. */
  apiKeyVariable: z.string().min(1).default('OPENAI_API_KEY'),
  /** As the endpoint calls it. */
  model: z.string().min(1),
  /** What the model is called in records. Default: `model`. */
  name: z.string().min(1).optional(),
  temperature: z.number().min(0).optional(),
  /** Of one reply. Default: the endpoint's. */
  maxTokens: z.int().min(1).optional(),
  /** Sent with each request; they win over ours. */
  headers: z.record(z.string(), z.string()).default({}),
  /** How long the endpoint may be silent in the middle of a request. Default 5 min, which is also the longest. */
  idleTimeout: idleTimeout.default(MAX_IDLE_MS),
  /** `strict` for endpoints that refuse a user's message behind tool results or behind another one. Default `free`. */
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
  /** What the model is called in records. Default: provider and model, such as `anthropic.messages/claude-opus-4-5`. */
  name: z.string().min(1).optional(),
  temperature: z.number().min(0).optional(),
  /** Of one reply. Default: the provider's. */
  maxTokens: z.int().min(1).optional(),
  /** How much the model may think. */
  reasoning: z
    .enum(['provider-default', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])
    .optional(),
  headers: z.record(z.string(), z.string()).optional(),
  /** Options of one provider, under its name: `{ anthropic: { cacheControl: { type: 'ephemeral' } } }`. */
  providerOptions: z.record(z.string(), z.record(z.string(), z.json())).optional(),
  /** How long the provider may be silent in the middle of a request. Default 5 min, which is also the longest. */
  idleTimeout: idleTimeout.default(300_000),
  /** `strict` for providers that refuse a user's message behind tool results, such as Mistral. Default `free`. */
  alternation: z.enum(['free', 'strict']).default('free'),
});

export type AiSdkModelSettings = z.input<typeof aiSdkSettings>;

/**
 * Headers that no request could be sent with; a value may be a secret and is not shown.
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

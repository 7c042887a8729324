import { z } from 'zod';
import { idleTimeout } from './openai-options.ts';

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

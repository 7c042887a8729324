import { z } from 'zod';

const textPart = z.looseObject({ type: z.string().nullish(), text: z.string().nullish() });

const callPiece = z.object({
  index: z.int().nullish(),
  id: z.string().nullish(),
  function: z
    .object({
      name: z.string().nullish(),
      /** Text; some endpoints send the object itself. */
      arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
    })
    .nullish(),
  /** Google's endpoint stores signatures of thoughts here, and expects them back. */
  extra_content: z.record(z.string(), z.unknown()).nullish().catch(null),
});

const piece = z.object({
  /** Text, or parts of which those with text are shown. */
  content: z.union([z.string(), z.array(textPart)]).nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(callPiece).nullish(),
  /** DeepSeek, Kimi and others: thoughts that must be returned while there are calls. */
  reasoning_content: z.string().nullish().catch(null),
  /** OpenRouter: thoughts, in pieces. */
  reasoning_details: z.array(z.record(z.string(), z.unknown())).nullish().catch(null),
});

/** A chunk of a streamed chat completion, or an unstreamed completion, as far as it is read. */
export const chatChunk = z.object({
  error: z.unknown().optional(),
  /** Sent at the end, or cumulatively with each chunk: the last one counts. */
  usage: z
    .object({
      prompt_tokens: z.number(),
      completion_tokens: z
        .number()
        .nullish()
        .transform((count) => count ?? 0),
    })
    .nullish()
    .catch(null),
  choices: z
    .array(
      z.object({
        index: z.int().nullish(),
        delta: piece.nullish(),
        message: piece.nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
});

export type ChatChunk = z.output<typeof chatChunk>;
export type ChatPiece = z.output<typeof piece>;
export type CallPiece = z.output<typeof callPiece>;

import { createGrants } from '../../policy/grant.ts';
import { confirmRecorded, toPlainAnswer } from '../answer-text.ts';
import { type CallOptions, callToolWith } from '../call-tool.ts';
import { toInputSchema } from '../input-schema.ts';
import type { Tool } from '../tool.ts';

type Shown = ReturnType<typeof toPlainAnswer>;

/**
 * Tool of the AI SDK, as in `tools` of `generateText`. Described structurally, so that the SDK need not be installed.
 */
export interface AiSdkTool {
  readonly description: string;
  /** Standard Schema with a JSON Schema that accepts everything; the tool validates the input itself. */
  readonly inputSchema: AiSdkSchema;
  execute(input: unknown, options?: { readonly abortSignal?: AbortSignal | undefined }): Promise<Shown>;
}

interface AiSdkSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'troupe';
    validate(value: unknown): { readonly value: unknown };
    readonly jsonSchema: {
      input(): Record<string, unknown>;
      output(): Record<string, unknown>;
    };
  };
}

/** Settings of the calls; without a signal they wait without limit. */
export interface AiSdkToolOptions extends Omit<CallOptions, 'tools' | 'interrupt' | 'signal'> {
  /** Interrupts waiting calls, beside the signal of the loop. Default: never. */
  readonly interrupt?: AbortSignal;
  /** See `CallOptions.signal`. Default: never. */
  readonly signal?: AbortSignal;
}

/**
 * Returns the tools for a custom agent loop. The loop's abort signal interrupts waiting calls and ends no process. The
 * loop receives no notices; one that delivers them itself declares how with `notices`.
 */
export function toAiSdkTools(tools: readonly Tool[], options: AiSdkToolOptions): Record<string, AiSdkTool> {
  const never = new AbortController().signal;
  const { interrupt = never, signal = never, grants = createGrants() } = options;
  const toTool = (tool: Tool): AiSdkTool => ({
    description: tool.description,
    inputSchema: toSchema(tool),
    execute: async (input, { abortSignal = never } = {}) => {
      const interrupts = AbortSignal.any([interrupt, abortSignal]);
      const call = { name: tool.name, input };
      const answer = await callToolWith(call, {
        ...options,
        tools,
        grants,
        signal,
        interrupt: interrupts,
      });
      // A loop that continued without the answer has not read it.
      if (!abortSignal.aborted) confirmRecorded(answer);
      return toPlainAnswer(answer);
    },
  });
  return Object.fromEntries(tools.map((tool) => [tool.name, toTool(tool)]));
}

function toSchema(tool: Tool): AiSdkSchema {
  const toJsonSchema = () => ({ ...toInputSchema(tool) });
  return {
    '~standard': {
      version: 1,
      vendor: 'troupe',
      validate: (value) => ({ value }),
      jsonSchema: { input: toJsonSchema, output: toJsonSchema },
    },
  };
}

import { createGrants } from '../../policy/grant.ts';
import { confirmRecorded, toPlainAnswer } from '../answer-text.ts';
import { type CallWiring, callToolWith } from '../call-tool.ts';
import { toInputSchema } from '../input-schema.ts';
import type { Tool } from '../tool.ts';

type Shown = ReturnType<typeof toPlainAnswer>;

/**
 * A tool of the AI SDK: an entry of `tools` of `generateText` and the like. Described by its shape, so that nobody has to install
 * the SDK for it.
 */
export interface AiSdkTool {
  readonly description: string;
  /** A Standard Schema that knows its JSON Schema and accepts everything: what is wrong, the tool says in its own words. */
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

/** What every call goes through; who leaves a signal out waits as long as it takes. */
export interface AiSdkWiring extends Omit<CallWiring, 'tools' | 'interrupt' | 'signal'> {
  readonly interrupt?: AbortSignal;
  readonly signal?: AbortSignal;
}

/**
 * The tools for somebody else's agent loop. The loop's own abort signal interrupts calls that wait and ends no process. No
 * notices reach it; a loop that delivers them in its own way says how with `notices`.
 */
export function toAiSdkTools(tools: readonly Tool[], deps: AiSdkWiring): Record<string, AiSdkTool> {
  const never = new AbortController().signal;
  const { interrupt = never, signal = never, grants = createGrants() } = deps;
  const toTool = (tool: Tool): AiSdkTool => ({
    description: tool.description,
    inputSchema: toSchema(tool),
    execute: async (input, { abortSignal = never } = {}) => {
      const interrupts = AbortSignal.any([interrupt, abortSignal]);
      const call = { name: tool.name, input };
      const answer = await callToolWith(call, {
        ...deps,
        tools,
        grants,
        signal,
        interrupt: interrupts,
      });
      // A loop that has gone on without the answer has not read it.
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

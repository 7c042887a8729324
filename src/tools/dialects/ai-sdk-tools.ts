import { toPlainAnswer } from '../answer-text.ts';
import { toInputSchema } from '../input-schema.ts';
import type { Tool } from '../tool.ts';
import type { ToolHost } from '../tool-host.ts';

type Shown = ReturnType<typeof toPlainAnswer>;

/**
 * Tool of the AI SDK, as in `tools` of `generateText`. Described structurally, so that the SDK need not be installed.
 */
export interface AiSdkTool {
  readonly description: string;
  /** Standard Schema with a JSON Schema that accepts everything; the tool validates the input itself. */
  readonly inputSchema: AiSdkSchema;
  execute(
    input: unknown,
    options?: { readonly abortSignal?: AbortSignal | undefined; readonly toolCallId?: string | undefined },
  ): Promise<Shown>;
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

/**
 * Returns the tools of a host for a loop of the AI SDK. The loop's abort signal interrupts waiting calls and ends no process. Before each
 * request the loop puts the notice of `host.take` into its messages.
 */
export function toAiSdkTools(host: ToolHost): Record<string, AiSdkTool> {
  const toTool = (tool: Tool): AiSdkTool => ({
    description: tool.description,
    inputSchema: toSchema(tool),
    execute: async (input, { abortSignal, toolCallId } = {}) => {
      const { answer } = await host.call({ id: toolCallId, name: tool.name, input }, { signal: abortSignal });
      return toPlainAnswer(answer);
    },
  });
  return Object.fromEntries(host.tools.map((tool) => [tool.name, toTool(tool)]));
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

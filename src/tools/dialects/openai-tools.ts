import { toInputSchema } from '../input-schema.ts';
import type { Tool } from '../tool.ts';

/** A tool in the dialect of OpenAI's Chat Completions, and of those that imitate it. */
export interface OpenAiTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    /** JSON Schema. */
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

export function toOpenAiTools(tools: readonly Tool[]): readonly OpenAiTool[] {
  return tools.map((tool) => ({
    type: 'function',
    function: { name: tool.name, description: tool.description, parameters: toInputSchema(tool) },
  }));
}

import { toInputSchema } from '../input-schema.ts';
import type { Tool } from '../tool.ts';

/** A tool in the dialect of Anthropic's Messages. */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly input_schema: Readonly<Record<string, unknown>>;
}

export function toAnthropicTools(tools: readonly Tool[]): readonly AnthropicTool[] {
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: toInputSchema(tool),
  }));
}

import { toInputSchema } from '../input-schema.ts';
import type { Tool } from '../tool.ts';

/** Tool in the dialect of OpenAI's Chat Completions and compatible endpoints. */
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

/** Tool in the dialect of Anthropic's Messages. */
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

type Schema = Readonly<Record<string, unknown>>;

/** Tool in the dialect of Gemini's function calling. */
export interface GeminiFunction {
  readonly name: string;
  readonly description: string;
  /** Gemini's subset of the OpenAPI schema. Absent for a tool without input, since empty objects are refused. */
  readonly parameters?: Schema;
}

/** Returns one entry of `tools` in a request. */
export function toGeminiTools(tools: readonly Tool[]): {
  readonly functionDeclarations: readonly GeminiFunction[];
} {
  return { functionDeclarations: tools.map(toFunction) };
}

function toFunction(tool: Tool): GeminiFunction {
  const { name, description } = tool;
  const parameters = withoutAdditional(toInputSchema(tool));
  const isEmpty = Object.keys((parameters['properties'] ?? {}) as Schema).length === 0;
  return { name, description, ...(!isEmpty && { parameters }) };
}

/** Removes `additionalProperties`, which Gemini's schema lacks. */
function withoutAdditional(schema: Schema): Schema {
  const entries = Object.entries(schema)
    .filter(([key]) => key !== 'additionalProperties')
    .map(([key, value]) => [key, inside(key, value)]);
  return Object.fromEntries(entries);
}

function inside(key: string, value: unknown): unknown {
  if (key === 'items') return withoutAdditional(value as Schema);
  if (key !== 'properties') return value;
  const properties = Object.entries(value as Record<string, Schema>);
  return Object.fromEntries(properties.map(([name, schema]) => [name, withoutAdditional(schema)]));
}

import { z } from 'zod';
import { toErrorText } from '../config/error-text.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { parseToolInput } from './parse-tool-input.ts';

/** What a model is answered; never an exception. */
export type ToolAnswer = (
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly error: string }
) & {
  /**
   * Ids of the completions whose final state this answer shows. Once it is in the transcript no notice comes for them. Not
   * shown to the model.
   */
  readonly reveals?: readonly string[];
};

/** Whose tools they are: they see and touch the processes of this owner only. */
export interface ToolContext {
  readonly supervisor: Supervisor;
  readonly owner: string;
}

/** One tool, in no provider's dialect. */
export interface Tool {
  readonly name: string;
  /** For the model: what it does, and when to use it. */
  readonly description: string;
  /** Flat: no provider is trusted with nested arguments. */
  readonly input: z.ZodObject;
  /** Checks the input. Never rejects: what goes wrong is an answer. */
  execute(input: unknown, context: ToolContext): Promise<ToolAnswer>;
}

export function defineTool<S extends z.ZodObject>(definition: {
  name: string;
  description: string;
  input: S;
  execute: (input: z.output<S>, context: ToolContext) => Promise<ToolAnswer>;
}): Tool {
  const { name, description, input } = definition;
  return {
    name,
    description,
    input,
    execute: async (given, context) => {
      const parsed = parseToolInput({ name, input }, given);
      if (!parsed.ok) return parsed;
      try {
        return await definition.execute(parsed.input, context);
      } catch (error) {
        return { ok: false, error: toErrorText(error) };
      }
    },
  };
}

/** JSON Schema of a tool's input, for the model. */
export function toInputSchema(tool: Pick<Tool, 'input'>): Readonly<Record<string, unknown>> {
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input, { io: 'input' });
  return schema;
}

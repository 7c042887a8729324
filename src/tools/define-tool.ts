import type { z } from 'zod';
import { toErrorText } from '../config/error-text.ts';
import type { Permission } from '../policy/permission.ts';
import { parseToolInput, type ToolAliases } from './parse-tool-input.ts';
import type { Tool, ToolAnswer, ToolContext, ToolIntent } from './tool.ts';

/** Makes a tool of a schema and a function. */
export function defineTool<S extends z.ZodObject>(definition: {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly input: S;
  /** See `Tool.output`. */
  readonly output?: z.ZodObject;
  /** Other words that its calls may use, by theirs: names of fields, and values of a field. Not told to the model. */
  readonly aliases?: ToolAliases;
  /** What its calls do to processes. Default `other`: nothing. */
  readonly permission?: Permission;
  /** Where that depends on the input: all of them, with `intend`. */
  readonly permissions?: readonly Permission[];
  /** What the schema cannot say: in words what is wrong, or `null`. */
  readonly check?: (input: z.output<S>) => string | null;
  /** What a call would do. Default: `permission`, without a start. */
  readonly intend?: (input: z.output<S>) => ToolIntent;
  /** May throw or reject: the text of the error is the answer. */
  readonly execute: (input: z.output<S>, context: ToolContext) => Promise<ToolAnswer>;
}): Tool {
  const { name, description, input, permission = 'other', permissions = [permission] } = definition;
  return {
    name,
    ...(definition.title !== undefined && { title: definition.title }),
    description,
    input,
    ...(definition.output !== undefined && { output: definition.output }),
    permissions,
    prepare: (given) => {
      const parsed = parseToolInput({ name, input, aliases: definition.aliases }, given);
      if (!parsed.ok) return parsed;
      const problem = definition.check?.(parsed.input) ?? null;
      if (problem !== null) return { ok: false, error: problem };
      return {
        ok: true,
        intent: definition.intend?.(parsed.input) ?? { permission },
        run: async (context) => {
          try {
            return await definition.execute(parsed.input, context);
          } catch (error) {
            return { ok: false, error: toErrorText(error) };
          }
        },
      };
    },
  };
}

import { toErrorText } from '../config/error-text.ts';
import type { Permission } from '../policy/permission.ts';
import { parseToolInput, type ToolAliases } from './parse-tool-input.ts';
import { type JsonSchema, type SchemaOutput, type StandardSchema, toJsonSchema } from './standard-schema.ts';
import type { NoticeDelivery, Tool, ToolAnswer, ToolContext, ToolIntent } from './tool.ts';

/** Defines a tool by a schema and a function. Its input is an object, which the schema must validate without waiting. */
export function defineTool<S extends StandardSchema>(definition: {
  readonly name: string;
  readonly title?: string;
  /** Text for the model. A function where it depends on how notices reach the agent. */
  readonly description: string | ((notices: NoticeDelivery) => string);
  /** Schema of any library that implements Standard Schema: zod, Valibot, ArkType and others. */
  readonly input: S;
  /** JSON Schema of the input for the model. Default: the one that the schema offers; required where it offers none. */
  readonly inputSchema?: JsonSchema;
  /** See `Tool.outputSchema`. */
  readonly output?: StandardSchema;
  /** JSON Schema of the output. Default: the one that the schema `output` offers. */
  readonly outputSchema?: JsonSchema;
  /** Aliases that calls may use for fields, and for values of a field. Not shown to the model. */
  readonly aliases?: ToolAliases;
  /** Effect of its calls on processes. Default `other`: none. */
  readonly permission?: Permission;
  /** The possible effects, if they depend on the input; requires `intend`. */
  readonly permissions?: readonly Permission[];
  /** Validates what the schema cannot express; returns the problem, or `null`. */
  readonly check?: (input: SchemaOutput<S>) => string | null;
  /** Returns what a call would do. Default: `permission`, without a start. */
  readonly intend?: (input: SchemaOutput<S>) => ToolIntent;
  /** A thrown error becomes the answer. */
  readonly execute: (input: SchemaOutput<S>, context: ToolContext) => Promise<ToolAnswer>;
}): Tool {
  const { name, permission = 'other', permissions = [permission], description: given } = definition;
  const description = typeof given === 'string' ? given : given('none');
  return {
    name,
    ...(definition.title !== undefined && { title: definition.title }),
    description,
    get inputSchema() {
      return definition.inputSchema ?? toJsonSchema(definition.input, { tool: name, side: 'input' });
    },
    get outputSchema() {
      const { output, outputSchema } = definition;
      if (outputSchema !== undefined || output === undefined) return outputSchema;
      return toJsonSchema(output, { tool: name, side: 'output' });
    },
    permissions,
    ...(typeof given === 'function' && {
      forNotices: (notices) => defineTool({ ...definition, description: given(notices) }),
    }),
    prepare: (given) => {
      const parsed = parseToolInput(definition, given);
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

import type { z } from 'zod';
import { toErrorText } from '../config/error-text.ts';
import { parseOptions } from '../config/parse-options.ts';
import type { Permission } from '../policy/permission.ts';
import type { Tool, ToolAnswer, ToolContext, ToolIntent } from './tool.ts';

/** Defines a tool by a schema and a function. */
export function defineTool<S extends z.ZodObject>(definition: {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly input: S;
  /** See `Tool.output`. */
  readonly output?: z.ZodObject;
  /** Aliases that calls may use for fields, and for values of a field. Not shown to the model. */
  readonly aliases?: ToolAliases;
  /** Effect of its calls on processes. Default `other`: none. */
  readonly permission?: Permission;
  /** The possible effects, if they depend on the input; requires `intend`. */
  readonly permissions?: readonly Permission[];
  /** Validates what the schema cannot express; returns the problem, or `null`. */
  readonly check?: (input: z.output<S>) => string | null;
  /** Returns what a call would do. Default: `permission`, without a start. */
  readonly intend?: (input: z.output<S>) => ToolIntent;
  /** A thrown error becomes the answer. */
  readonly execute: (input: z.output<S>, context: ToolContext) => Promise<ToolAnswer>;
}): Tool {
  const { name, description, permission = 'other', permissions = [permission] } = definition;
  return {
    name,
    ...(definition.title !== undefined && { title: definition.title }),
    description,
    get input() {
      return definition.input;
    },
    ...(definition.output !== undefined && { output: definition.output }),
    permissions,
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

type ParsedInput<S extends z.ZodType> =
  | { readonly ok: true; readonly input: z.output<S> }
  | { readonly ok: false; readonly error: string };

type Fields = Readonly<Record<string, unknown>>;

/** Aliases for a tool's own words. */
export interface ToolAliases {
  /** Fields by their aliases. */
  readonly fields: Readonly<Record<string, string>>;
  /** Values by their aliases, for each field of the tool. */
  readonly values: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Validates a model's input. Missing fields are named first. Harmless mistakes are corrected; see `listCoercions`. */
function parseToolInput<S extends z.ZodObject>(
  tool: { readonly name: string; readonly input: S; readonly aliases?: ToolAliases | undefined },
  given: unknown,
): ParsedInput<S> {
  const input = coerceFields(tool.input, translate((given ?? {}) as Fields, tool.aliases));
  const missing = requiredFields(tool.input).filter((field) => isMissing(input[field], tool.input, field));
  if (missing.length > 0)
    return { ok: false, error: missing.map((field) => `${field} is required`).join('; ') };
  try {
    return { ok: true, input: parseOptions(tool.input, { input, name: tool.name }) };
  } catch (error) {
    return { ok: false, error: toErrorText(error) };
  }
}

/** Replaces aliases; the tool's own word takes precedence. */
function translate(given: Fields, aliases: ToolAliases | undefined): Fields {
  if (aliases === undefined || typeof given !== 'object') return given;
  const entries = Object.entries(given).flatMap(([word, value]): [string, unknown][] => {
    const field = lookUp(aliases.fields, word);
    if (field !== word && given[field] !== undefined) return [];
    const words = Object.hasOwn(aliases.values, field) ? aliases.values[field] : undefined;
    return [[field, typeof value === 'string' ? lookUp(words ?? {}, value) : value]];
  });
  return Object.fromEntries(entries);
}

function lookUp(words: Readonly<Record<string, string>>, word: string): string {
  return Object.hasOwn(words, word) ? (words[word] ?? word) : word;
}

function requiredFields(schema: z.ZodObject): string[] {
  return Object.keys(schema.shape).filter((field) => !accepts(schema, field, undefined));
}

/** Treats an empty text as missing where it is not allowed. */
function isMissing(value: unknown, schema: z.ZodObject, field: string): boolean {
  if (value === undefined) return true;
  return (value === null || value === '') && !accepts(schema, field, value);
}

function coerceFields(schema: z.ZodObject, given: Fields): Fields {
  if (typeof given !== 'object') return given;
  const entries = Object.entries(given).flatMap(([field, value]): [string, unknown][] => {
    if (!Object.hasOwn(schema.shape, field) || accepts(schema, field, value)) return [[field, value]];
    const mended = listCoercions(value).find((each) => accepts(schema, field, each));
    if (mended !== undefined) return [[field, mended]];
    const isLeftOut = (value === null || value === '') && accepts(schema, field, undefined);
    return isLeftOut ? [] : [[field, value]];
  });
  return Object.fromEntries(entries);
}

/**
 * Lists plausible meanings of a value for models that write everything as text, an id as a number, or one item instead
 * of a list. An optional field that is `null` or empty counts as omitted.
 */
function listCoercions(value: unknown): readonly unknown[] {
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'string' || value.trim() === '') return [];
  const word = value.trim().toLowerCase();
  if (word === 'true' || word === 'false') return [word === 'true'];
  return Number.isFinite(Number(word)) ? [Number(word), [value]] : [[value]];
}

function accepts(schema: z.ZodObject, field: string, value: unknown): boolean {
  const type = schema.shape[field] as z.ZodType | undefined;
  return type?.safeParse(value).success ?? false;
}

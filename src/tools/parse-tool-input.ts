import type { z } from 'zod';
import { toErrorText } from '../config/error-text.ts';
import { parseOptions } from '../config/parse-options.ts';
import {
  fieldOf,
  type SchemaOutput,
  type StandardIssue,
  type StandardSchema,
  validate,
} from './standard-schema.ts';

/** Aliases for a tool's own words. */
export interface ToolAliases {
  /** Fields by their aliases. */
  readonly fields: Readonly<Record<string, string>>;
  /** Values by their aliases, for each field of the tool. */
  readonly values: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

type ParsedInput<S extends StandardSchema> =
  | { readonly ok: true; readonly input: SchemaOutput<S> }
  | { readonly ok: false; readonly error: string };

type Fields = Readonly<Record<string, unknown>>;

interface CheckedTool<S extends StandardSchema> {
  readonly name: string;
  readonly input: S;
  readonly aliases?: ToolAliases | undefined;
}

/** Validates a model's input. Missing fields are named first. Harmless mistakes are corrected; see `listCoercions`. */
export function parseToolInput<S extends StandardSchema>(
  tool: CheckedTool<S>,
  given: unknown,
): ParsedInput<S> {
  const input = coerceFields(tool.input, translate((given ?? {}) as Fields, tool.aliases));
  const result = validate(tool.input, input);
  if (result.issues === undefined) return { ok: true, input: result.value as SchemaOutput<S> };
  const missing = new Set(
    result.issues.map(fieldOf).filter((field) => field !== null && isMissing(input[field])),
  );
  if (missing.size > 0)
    return { ok: false, error: [...missing].map((field) => `${field} is required`).join('; ') };
  return { ok: false, error: describe(tool, { input, issues: result.issues }) };
}

/** The options of troupe are described in the same way, so that a model reads one language. */
function describe(
  { name, input: schema }: CheckedTool<StandardSchema>,
  { input, issues }: { readonly input: Fields; readonly issues: readonly StandardIssue[] },
): string {
  try {
    if ('_zod' in schema) parseOptions(schema as unknown as z.ZodType, { input, name });
  } catch (error) {
    return toErrorText(error);
  }
  return issues.map((issue) => `${name}: ${toPlace(issue)}${issue.message}`).join('\n');
}

function toPlace({ path = [] }: StandardIssue): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
  return keys.length === 0 ? '' : `"${keys.join('.')}": `;
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

/** An empty text counts as missing where it is not allowed. */
function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function coerceFields(schema: StandardSchema, given: Fields): Fields {
  if (typeof given !== 'object') return given;
  let fields = given;
  for (const field of findRefused(schema, given)) {
    if (!Object.hasOwn(given, field)) continue;
    const { [field]: value, ...others } = fields;
    const candidates = listCoercions(value).map((each) => ({ ...fields, [field]: each }));
    if (isMissing(value)) candidates.push(others);
    fields = candidates.find((each) => !findRefused(schema, each).has(field)) ?? fields;
  }
  return fields;
}

/** The fields whose values a schema does not accept. */
function findRefused(schema: StandardSchema, fields: Fields): ReadonlySet<string> {
  const { issues = [] } = validate(schema, fields);
  return new Set(issues.map(fieldOf).filter((field) => field !== null));
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

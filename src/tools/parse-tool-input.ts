import type { z } from 'zod';
import { toErrorText } from '../config/error-text.ts';
import { parseOptions } from '../config/parse-options.ts';

export type ParsedInput<S extends z.ZodType> =
  | { readonly ok: true; readonly input: z.output<S> }
  | { readonly ok: false; readonly error: string };

/** Checks what a model gave to a tool. Missing fields are named first; an empty text is missing, too. */
export function parseToolInput<S extends z.ZodObject>(
  tool: { name: string; input: S },
  given: unknown,
): ParsedInput<S> {
  const input = given ?? {};
  const missing = requiredFields(tool.input).filter((field) => isMissing(input, field));
  if (missing.length > 0)
    return { ok: false, error: missing.map((field) => `${field} is required`).join('; ') };
  try {
    return { ok: true, input: parseOptions(tool.input, { input, name: tool.name }) };
  } catch (error) {
    return { ok: false, error: toErrorText(error) };
  }
}

function requiredFields(schema: z.ZodObject): string[] {
  const { error } = schema.safeParse({});
  return (error?.issues ?? []).map(({ path }) => String(path[0]));
}

function isMissing(input: unknown, field: string): boolean {
  const value = (input as Record<string, unknown>)[field];
  return value === undefined || value === null || value === '';
}

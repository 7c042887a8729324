import { inspect } from 'node:util';
import type { z } from 'zod';
import { nearest } from './nearest.ts';
import { quote } from './quote.ts';
import { TroupeError } from './troupe-error.ts';

type Issue = z.core.$ZodIssue;

/**
 * Checks options of a caller.
 *
 * @throws TroupeError `invalid-option`, naming the option, its value, what is allowed and the nearest known
 * option.
 */
export function parseOptions<S extends z.ZodType>(
  schema: S,
  call: { input: unknown; name: string },
): z.output<S> {
  const result = schema.safeParse(call.input);
  if (result.success) return result.data;
  const problems = describeProblems(result.error, { input: call.input, schema });
  const message = problems.map(({ text }) => `${call.name}: ${text}`).join('\n');
  throw new TroupeError({ code: 'invalid-option', message, cause: result.error });
}

/** A problem as a sentence, and its place in the checked value. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

export function describeProblems(
  error: z.core.$ZodError,
  checked: { input: unknown; schema: z.ZodType },
): readonly Problem[] {
  return error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys')
      return [{ path: issue.path, text: describeIssue(issue, checked) }];
    const paths = issue.keys.map((key) => [...issue.path, key]);
    return paths.map((path) => ({ path, text: describeUnknown(path, checked) }));
  });
}

function describeIssue(issue: Issue, { input }: { input: unknown }): string {
  const where = issue.path.join('.');
  const value = showAt(input, issue.path);
  const subject = where === '' ? `the options are ${value}` : `"${where}" is ${value}`;
  return `${subject}; expected ${describeExpected(issue, valueAt(input, issue.path))}.`;
}

function describeUnknown(
  path: readonly PropertyKey[],
  { input, schema }: { input: unknown; schema: z.ZodType },
): string {
  const key = String(path.at(-1));
  const known = knownKeys(schema, path.slice(0, -1));
  const hint = (Object.hasOwn(UNKNOWN_HINTS, key) && UNKNOWN_HINTS[key]) || suggest(key, known);
  return `there is no option ${quote(path.join('.'))} (given: ${showAt(input, path)}). ${hint}`;
}

/** Hints for option names of other libraries. */
const UNKNOWN_HINTS: Readonly<Record<string, string>> = {
  args: 'Put program and arguments together: command: ["git", "status"].',
  argv: 'Put program and arguments together: command: ["git", "status"].',
};

function suggest(key: string, known: readonly string[]): string {
  const meant = nearest(key, known);
  return meant === null ? `Known options: ${known.join(', ')}.` : `Did you mean "${meant}"?`;
}

function describeExpected(issue: Issue, given: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return withArticle(issue.expected);
    case 'invalid_value':
      return describeChoice(issue.values, given);
    case 'too_small':
      if (issue.inclusive === false) return `more than ${issue.minimum}`;
      return isLength(issue) && issue.minimum === 1
        ? 'a value that is not empty'
        : `at least ${issue.minimum}${toUnit(issue)}`;
    case 'too_big':
      return `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${toUnit(issue)}`;
    case 'invalid_format':
      return issue.format === 'regex' ? issue.message : withArticle(issue.format);
    default:
      return issue.message;
  }
}

function isLength({ origin }: { readonly origin: string }): boolean {
  return origin === 'string' || origin === 'array';
}

function toUnit(issue: { readonly origin: string }): string {
  if (!isLength(issue)) return '';
  return issue.origin === 'string' ? ' characters' : ' items';
}

function describeChoice(values: readonly unknown[], given: unknown): string {
  const all = `one of ${values.map((value) => show(value)).join(', ')}`;
  const meant = typeof given === 'string' ? nearest(given, values.map(String)) : null;
  return meant === null ? all : `${all}; the nearest is ${quote(meant)}`;
}

function withArticle(type: string): string {
  const name = { int: 'whole number', record: 'object' }[type] ?? type;
  return `${/^[aeiou]/i.test(name) ? 'an' : 'a'} ${name}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[key];
  return value;
}

function knownKeys(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let current: unknown = schema;
  for (const key of ['', ...path]) {
    current = key === '' ? unwrap(current) : unwrap(shapeOf(current)?.[String(key)]);
  }
  return Object.keys(shapeOf(current) ?? {});
}

function shapeOf(schema: unknown): Record<string, unknown> | undefined {
  return (schema as { def?: { shape?: Record<string, unknown> } } | undefined)?.def?.shape;
}

function unwrap(schema: unknown): unknown {
  const inner = (schema as { def?: { innerType?: unknown } } | undefined)?.def?.innerType;
  return inner === undefined ? schema : unwrap(inner);
}

/** Hides values that look like a secret, even in the wrong place. */
function showAt(input: unknown, path: readonly PropertyKey[]): string {
  const isSecret = path.some((key) => /secret|token|passw|api_?key/i.test(String(key)));
  return isSecret ? '[redacted]' : show(valueAt(input, path));
}

function show(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  const text = inspect(value, { depth: 0, breakLength: 120 });
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

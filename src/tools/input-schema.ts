import type { JsonSchema } from './standard-schema.ts';

/**
 * Keywords that some provider refuses or ignores. The tool validates all of them itself, and defaults are described in
 * text.
 */
const unportable: readonly string[] = [
  '$schema',
  'default',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'propertyNames',
];

/**
 * Returns the JSON Schema of a tool's input for the model, in the order of the definition, restricted to keywords that
 * every provider accepts.
 */
export function toInputSchema(tool: { readonly inputSchema: JsonSchema }): JsonSchema {
  return toPortable(tool.inputSchema);
}

function toPortable(schema: JsonSchema): JsonSchema {
  const entries = Object.entries(describeDefault(schema))
    .filter(([key, value]) => !unportable.includes(key) && !isBoundOfIntegers(value))
    .map(([key, value]) => (key === 'const' ? ['enum', [value]] : [key, inside(key, value)]));
  return Object.fromEntries(entries);
}

function inside(key: string, value: unknown): unknown {
  if (key === 'properties') {
    const properties = Object.entries(value as Record<string, JsonSchema>);
    return Object.fromEntries(properties.map(([name, schema]) => [name, toPortable(schema)]));
  }
  if (key === 'items') return toPortable(value as JsonSchema);
  return value;
}

function describeDefault(schema: JsonSchema): JsonSchema {
  const { default: value, description } = schema;
  if (value === undefined) return schema;
  const words = `Default ${JSON.stringify(value)}.`;
  return { ...schema, description: typeof description === 'string' ? `${description} ${words}` : words };
}

/** Matches the bounds of safe integers, which zod adds to every integer. */
function isBoundOfIntegers(value: unknown): boolean {
  return value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER;
}

import { z } from 'zod';

type JsonSchema = Readonly<Record<string, unknown>>;

/** What one provider refuses or another ignores. The tool checks all of it itself; a default is said in the description. */
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

/** JSON Schema of a tool's input, for the model: in the order of the definition, with words that every provider takes. */
export function toInputSchema(tool: { readonly input: z.ZodObject }): JsonSchema {
  return toPortable(z.toJSONSchema(tool.input, { io: 'input' }));
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

/** zod writes down that an integer is one that a double can hold. */
function isBoundOfIntegers(value: unknown): boolean {
  return value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER;
}

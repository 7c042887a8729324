import { TroupeError } from '../config/troupe-error.ts';

/**
 * Schema of any library that implements [Standard Schema](https://standardschema.dev), such as zod, Valibot and ArkType. The model needs a
 * JSON Schema as well, which some of them offer (`jsonSchema`, as zod does from 4.2).
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?:
      | Readonly<Record<'input' | 'output', (options: { target: 'draft-2020-12' }) => JsonSchema>>
      | undefined;
  };
}

/** Result of a validation. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** Problem with a value, and its place. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Type of the values that a schema returns. */
export type SchemaOutput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output'];

export type JsonSchema = Readonly<Record<string, unknown>>;

/** @throws TroupeError `invalid-option` where the library offers none. */
export function toJsonSchema(
  schema: StandardSchema,
  given: { tool: string; side: 'input' | 'output' },
): JsonSchema {
  const { jsonSchema, vendor } = schema['~standard'];
  if (jsonSchema !== undefined) return jsonSchema[given.side]({ target: 'draft-2020-12' });
  const message =
    `defineTool: the ${given.side} of "${given.tool}" is a schema of ${vendor}, which offers no JSON Schema. ` +
    `Give it as "${given.side}Schema".`;
  throw new TroupeError({ code: 'invalid-option', message });
}

/** @throws TroupeError `invalid-option` where the schema answers later. */
export function validate<Output>(
  schema: StandardSchema<unknown, Output>,
  value: unknown,
): StandardResult<Output> {
  const result = schema['~standard'].validate(value);
  if (!(result instanceof Promise)) return result;
  const message =
    'defineTool: the input of a tool must be validated at once, but its schema returns a promise. Move the check to "execute".';
  throw new TroupeError({ code: 'invalid-option', message });
}

/** The field of the value that an issue is about, or `null` for the whole. */
export function fieldOf({ path = [] }: StandardIssue): string | null {
  const [first] = path;
  if (first === undefined) return null;
  return String(typeof first === 'object' ? first.key : first);
}

import { z } from 'zod';
import { duration } from './duration.ts';
import { span, toMs } from './span.ts';

type SnakeCase<S extends string> = S extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head>
    ? `${Head}${SnakeCase<Tail>}`
    : `_${Lowercase<Head>}${SnakeCase<Tail>}`
  : S;

type FileValue<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? string extends keyof T
      ? T
      : FileSection<T>
    : T;

/** Options as written in a file: keys in snake_case, durations as `Span`. */
type FileSection<Options> = {
  readonly [Key in keyof Options as SnakeCase<Key & string>]?: FileValue<Options[Key]>;
};

type Shape = Readonly<Record<string, z.ZodType>>;

/**
 * Converts options to a section of a file: every key is optional and no default is filled in, so that
 * sections can be merged. Numbers as durations are seconds there.
 */
export function toFileSection<S extends Shape>(
  shape: S,
): z.ZodObject<z.core.$ZodShape, z.core.$strict> & z.ZodType<FileSection<z.input<z.ZodObject<S>>>> {
  const entries = Object.entries(shape).map(([key, schema]) => [toSnakeCase(key), toFileSchema(schema)]);
  return z.strictObject(Object.fromEntries(entries)) as never;
}

/** Converts a section of a file to options, to be checked by the schema with `shape`. */
export function fromFileSection(section: object, shape: Shape): Record<string, unknown> {
  const values = section as Readonly<Record<string, unknown>>;
  const entries = Object.entries(shape).flatMap(([key, schema]) => {
    const value = values[toSnakeCase(key)];
    return value === undefined ? [] : [[key, fromFileValue(value, unwrap(schema))]];
  });
  return Object.fromEntries(entries);
}

function toFileSchema(wrapped: z.ZodType): z.ZodType {
  const schema = unwrap(wrapped);
  if (schema === duration) return span.optional();
  if (schema instanceof z.ZodRecord && schema.valueType === duration)
    return z.record(z.string(), span).optional();
  if (schema instanceof z.ZodObject) return toFileSection(schema.shape as Shape).optional();
  return schema.optional();
}

function fromFileValue(value: unknown, schema: z.ZodType): unknown {
  if (schema === duration) return toMs(value as number | string);
  if (schema instanceof z.ZodRecord && schema.valueType === duration) {
    const entries = Object.entries(value as Record<string, number | string>);
    return Object.fromEntries(entries.map(([key, each]) => [key, toMs(each)]));
  }
  if (schema instanceof z.ZodObject)
    return fromFileSection(value as Record<string, unknown>, schema.shape as Shape);
  return value;
}

/** Removes defaults and `optional` from a schema. */
function unwrap(schema: z.ZodType): z.ZodType {
  const { innerType } = schema.def as { innerType?: z.ZodType };
  return innerType === undefined ? schema : unwrap(innerType);
}

/** Returns the name of an option in a file. */
export function toSnakeCase(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

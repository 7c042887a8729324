import type { z } from 'zod';

interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly defaultValue?: unknown;
}

/** Returns the schema of each option, also within `optional` and defaults. */
export function toShape(schema: z.ZodType): Readonly<Record<string, z.ZodType>> {
  const { shape, innerType } = definitionOf(schema);
  return shape ?? (innerType === undefined ? {} : toShape(innerType));
}

/**
 * Returns the default of an option as a doc comment writes it: `30 s`, `1 MiB`, `` `auto` ``; `null` where the schema has none, or an object, which the comment
 * describes in words.
 */
export function describeDefault(
  schema: z.ZodType,
  option: { readonly name: string; readonly type: string },
): string | null {
  const { type, defaultValue, innerType } = definitionOf(schema);
  if (type === 'optional' && innerType !== undefined) return describeDefault(innerType, option);
  if (type !== 'default') return null;
  if (Array.isArray(defaultValue))
    return defaultValue.length === 0 ? 'none' : defaultValue.map((each) => `\`${each}\``).join(', ');
  if (typeof defaultValue === 'object') return null;
  if (typeof defaultValue !== 'number') return defaultValue === '' ? 'none' : `\`${defaultValue}\``;
  if (option.type.includes('Duration')) return toDuration(defaultValue);
  return option.name.endsWith('Bytes') ? toBytes(defaultValue) : String(defaultValue);
}

function definitionOf(schema: z.ZodType): Definition {
  return schema.def as unknown as Definition;
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
  [1, 'ms'],
] as const;

function toDuration(ms: number): string {
  if (ms === 0) return '0';
  const [size, unit] = UNITS.find(([each]) => ms % each === 0) ?? [1, 'ms'];
  return `${ms / size} ${unit}`;
}

function toBytes(bytes: number): string {
  const [size, unit] = bytes % 1024 ** 2 === 0 ? [1024 ** 2, 'MiB'] : [1024, 'KiB'];
  return `${bytes / size} ${unit}`;
}

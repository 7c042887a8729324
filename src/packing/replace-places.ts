import { parseAst } from 'rolldown/parseAst';

/** The expressions that take the place of `import.meta.url`, `.filename` and `.dirname`. */
export interface Places {
  readonly url: string;
  readonly filename: string;
  readonly dirname: string;
}

/** Replaces where a module names its own place; not in texts and comments, which may name it, too. */
export function replacePlaces(
  code: string,
  { id, places }: { readonly id: string; readonly places: Places },
): string {
  return findPlaces(parseAst(code, { lang: 'ts' }, id))
    .toSorted((one, other) => other.start - one.start)
    .reduce((text, { start, end, name }) => text.slice(0, start) + places[name] + text.slice(end), code);
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly name: keyof Places;
}

/** Returns the expressions `import.meta.url`, `.filename` and `.dirname`. */
function findPlaces(value: unknown): readonly Place[] {
  if (Array.isArray(value)) return value.flatMap(findPlaces);
  if (typeof value !== 'object' || value === null) return [];
  const { type, object, property, start, end } = value as {
    type?: string;
    object?: { type?: string };
    property?: { name?: string };
    start: number;
    end: number;
  };
  const name = property?.name;
  const isPlace = type === 'MemberExpression' && object?.type === 'MetaProperty';
  if (isPlace && (name === 'url' || name === 'filename' || name === 'dirname')) return [{ start, end, name }];
  return Object.values(value).flatMap(findPlaces);
}

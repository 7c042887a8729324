import type { Plugin } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';
import { keepLines } from './keep-lines.ts';

const MODULE = 'virtual:lazy-schema';
const RESOLVED = `\0${MODULE}`;

/** A schema that is built at the first use of any member, and the schema itself, which others are made of. */
const lazySchema = `
const builds = new WeakMap();
export const lazySchema = (build) => {
  let schema;
  const real = () => (schema ??= build());
  const lazy = new Proxy({}, {
    get: (_, key) => {
      const member = real()[key];
      return typeof member === 'function' ? member.bind(schema) : member;
    },
    has: (_, key) => key in real(),
    getPrototypeOf: () => Object.getPrototypeOf(real()),
  });
  builds.set(lazy, real);
  return lazy;
};
export const realSchema = (schema) => builds.get(schema)?.() ?? schema;
`;

/** Other modules ask whether a schema is the one of this module. */
const compared = /\/src\/config\/duration\.ts$/;

/**
 * Defers building the 1600 schemas of the library until each is used; building all of them would make `import 'troupe'`
 * a fifth more expensive (docs/decisions/dependencies.md). A module-level constant, or the input or output of a tool, becomes a proxy that calls `z` on first use. Tests run with this transformation, too.
 */
export const lazySchemas: Plugin & { readonly enforce: 'pre' } = {
  name: 'lazy-schemas',
  enforce: 'pre',
  resolveId: (source) => (source === MODULE ? RESOLVED : null),
  load: (id) => (id === RESOLVED ? lazySchema : null),
  transform: (code, id) => {
    if (compared.test(id) || !/^import \{ z \} from 'zod';$/m.test(code)) return null;
    const insertions = findInsertions(parseAst(code, { lang: 'ts' }, id));
    // From the last to the first, so that the places of those before stay right. No line is added: the source map holds.
    const changed = insertions
      .toSorted((one, other) => other.at - one.at)
      .reduce((text, { at, what }) => text.slice(0, at) + what + text.slice(at), code);
    const imported = `import { lazySchema, realSchema } from ${JSON.stringify(MODULE)};`;
    return keepLines(imported + changed, id);
  },
};

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Insertion {
  readonly at: number;
  readonly what: string;
}

/** Returns the insertions that make module-level schemas lazy. */
function findInsertions(value: unknown): readonly Insertion[] {
  if (Array.isArray(value)) return value.flatMap(findInsertions);
  if (!isNode(value) || isElsewhere(value)) return [];
  const { type } = value;
  if (type === 'CallExpression' && makesSchema(value)) return findParts(value);
  const [owner, own] =
    type === 'VariableDeclarator' ? ['const', value['init']] : [nameOf(value['key']), value['value']];
  if (
    /^(const|input|output)$/.test(owner ?? '') &&
    isNode(own) &&
    own.type === 'CallExpression' &&
    makesSchema(own)
  )
    return [...wrap(own, 'lazySchema(() => ('), ...findParts(own)];
  return [...findNames(value), ...Object.values(value).flatMap(findInsertions)];
}

/** The other schemas that a schema is made of: what it keeps of them must not be the proxy. */
function findParts(value: unknown): readonly Insertion[] {
  if (Array.isArray(value)) return value.flatMap(findParts);
  if (!isNode(value) || isElsewhere(value)) return [];
  const named = [value['arguments'], value['elements']]
    .flat()
    .filter((part) => nameOf(part) !== null) as Node[];
  return [
    ...named.flatMap((part) => wrap(part, 'realSchema((')),
    ...findNames(value),
    ...Object.values(value).flatMap(findParts),
  ];
}

/** A name as the value of a property. */
function findNames({ type, key, value, shorthand, end }: Node): readonly Insertion[] {
  if (type !== 'Property' || nameOf(value) === null) return [];
  return shorthand === true
    ? [{ at: end, what: `: realSchema(${nameOf(key)})` }]
    : wrap(value as Node, 'realSchema((');
}

function wrap({ start, end }: Node, before: string): readonly Insertion[] {
  return [
    { at: start, what: before },
    { at: end, what: '))' },
  ];
}

/** Functions run later, and types never. */
function isElsewhere({ type }: Node): boolean {
  return /Function|Class|Pattern$|^Import|^TS(?!As|Satisfies|NonNull)/.test(type);
}

/** Calls that make a schema of another one. */
const ofAnother =
  /^(optional|nullable|default|prefault|extend|safeExtend|pick|omit|partial|refine|superRefine|transform|min|max)$/;

function makesSchema({ callee }: Node): boolean {
  const root = rootOf(callee);
  const { property } = callee as Node;
  return root === 'z' || (root !== null && root !== 'Math' && ofAnother.test(nameOf(property) ?? ''));
}

/** The name with which a chain of calls and members begins. */
function rootOf(value: unknown): string | null {
  if (!isNode(value)) return null;
  return nameOf(value) ?? rootOf(value['callee'] ?? value['object']);
}

function nameOf(value: unknown): string | null {
  return isNode(value) && value.type === 'Identifier' ? (value['name'] as string) : null;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

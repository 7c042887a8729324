import { expect, test } from 'vitest';
import { inlineWasm } from '../../src/packing/inline-wasm.ts';
import { lazySchemas } from '../../src/packing/lazy-schemas.ts';

type Hook = (...args: readonly string[]) => { readonly code: string } | string | null;
const hooks = lazySchemas as unknown as Readonly<Record<'resolveId' | 'load' | 'transform', Hook>>;
const wasm = inlineWasm as unknown as Readonly<Record<'load' | 'transform', Hook>>;

/** Returns the transformed line of a module that imports zod. */
function transform(line: string, id = '/src/a.ts'): string | null {
  const result = hooks.transform(`import { z } from 'zod';\n${line}`, id);
  return result === null || typeof result === 'string' ? result : (result.code.split('\n')[1] ?? '');
}

test.each([
  ['const a = z.string();', 'const a = lazySchema(() => (z.string()));'],
  ['export const a = z.string().min(1);', 'export const a = lazySchema(() => (z.string().min(1)));'],
  ['const b = a.optional();', 'const b = lazySchema(() => (a.optional()));'],
  ['const b = a.other();', 'const b = a.other();'],
  ['const b = Math.max(1, 2);', 'const b = Math.max(1, 2);'],
  ['const b = f(1);', 'const b = f(1);'],
  ['const b = 7;', 'const b = 7;'],
  ['const f = () => z.string();', 'const f = () => z.string();'],
  ['function f() { return z.string(); }', 'function f() { return z.string(); }'],
  [
    'const t = { input: z.string(), other: z.string() };',
    'const t = { input: lazySchema(() => (z.string())), other: z.string() };',
  ],
  ['const t = { output: a.pick({}) };', 'const t = { output: lazySchema(() => (a.pick({}))) };'],
  [
    'const c = z.object({ a, b: d, e: z.array(g) });',
    'const c = lazySchema(() => (z.object({ a: realSchema(a), b: realSchema((d)), e: z.array(realSchema((g))) })));',
  ],
  [
    'const c = z.union([a, b]);',
    'const c = lazySchema(() => (z.union([realSchema((a)), realSchema((b))])));',
  ],
  ['const c = z.strictObject({}) satisfies object;', 'const c = z.strictObject({}) satisfies object;'],
  ['type T = z.infer<typeof a>;', 'type T = z.infer<typeof a>;'],
])('the line %s becomes lazy where it makes a schema', (line, changed) => {
  expect(transform(line)).toBe(changed);
});

test('a module keeps its lines, and imports what it calls', () => {
  const result = hooks.transform("import { z } from 'zod';\nconst a = z.string();\n", '/src/a.ts');

  expect(result).toMatchObject({
    code: 'import { lazySchema, realSchema } from "virtual:lazy-schema";import { z } from \'zod\';\nconst a = lazySchema(() => (z.string()));\n',
    map: { mappings: 'AAAA;AACA;AACA' },
  });
});

test('modules without zod, and the one that is compared with, stay as they are', () => {
  expect(hooks.transform('const a = z.string();', '/src/a.ts')).toBeNull();
  expect(hooks.transform("// import { z } from 'zod';\n", '/src/a.ts')).toBeNull();
  expect(transform('const a = z.string();', '/src/config/duration.ts')).toBeNull();
});

test('only the virtual module is resolved and loaded', () => {
  const resolved = hooks.resolveId('virtual:lazy-schema');

  expect(hooks.resolveId('zod')).toBeNull();
  expect(hooks.load('zod')).toBeNull();
  expect(hooks.load(`${resolved}`)).toContain('export const lazySchema');
});

test('a lazy schema is built once, at its first use, and acts as the real one', async () => {
  const code = `${hooks.load(`${hooks.resolveId('virtual:lazy-schema')}`)}`;
  const { lazySchema, realSchema } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  class Schema {
    readonly #size = 3;
    size(): number {
      return this.#size;
    }
    readonly kind = 'x';
  }
  let built = 0;
  const schema = new Schema();
  const lazy = lazySchema(() => {
    built += 1;
    return schema;
  });
  const builtBefore = built;

  expect([lazy.size(), lazy.kind, 'kind' in lazy, 'other' in lazy]).toEqual([3, 'x', true, false]);
  expect(lazy).toBeInstanceOf(Schema);
  expect([realSchema(lazy), realSchema(7)]).toEqual([schema, 7]);
  expect([builtBefore, built]).toEqual([0, 1]);
});

test('modules beside the grammar and its parser stay as they are', () => {
  expect(wasm.load('/work/src/policy/shell/other.ts')).toBeNull();
  expect(wasm.transform('x', '/work/src/a.ts')).toBeNull();
});

test('the parser is told no place, and a parser that has changed is refused', () => {
  const id = '/a/node_modules/web-tree-sitter/web-tree-sitter.js';
  const code =
    'import.meta.url; import("module"); import("fs/promises"); eval(a); x.eval(b); Module3 ??= await c';

  expect(wasm.transform(code, id)).toMatchObject({
    code: '"file:///"; import("node:module"); import("node:fs/promises"); (0, eval)(a); x.eval(b); Module3 = await c',
  });
  expect(() => wasm.transform('nothing', id)).toThrow(
    'web-tree-sitter has changed: it does not contain /\\bimport\\.meta\\.url\\b/g',
  );
});

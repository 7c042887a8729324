import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Returns the source files of the entry points of the package, by the name of their bundle; package.json lists them in `exports`. */
export function readDoors(): Readonly<Record<string, string>> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>;
  };
  const doors = Object.entries(exports).flatMap(([name, door]) =>
    typeof door === 'string' ? [] : [[name === '.' ? 'index' : name.slice(2), toSource(door.types)] as const],
  );
  return Object.fromEntries(doors);
}

/** `./dist/src/mcp/index.d.ts` is compiled from `src/mcp/index.ts`. */
function toSource(declarations: string): string {
  return declarations.replace(/^\.\/dist\//, '').replace(/\.d\.ts$/, '.ts');
}

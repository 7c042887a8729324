/**
 * Finishes `dist` after the compiler and the bundler: copies the licences of bundled packages, and removes the modules that the bundles
 * replace and the declarations that no door of the package reaches.
 */
import { copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const dist = join(root, 'dist');
const bundles = ['library', 'src/cli', 'inspector/page', 'inspector/page/chunks'].map((folder) =>
  join(dist, folder),
);
const declarations = findDeclarations();

for (const { name, parentPath } of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  const path = join(parentPath, name);
  const isReplaced = name.endsWith('.js') && !bundles.includes(parentPath);
  const isUnreachable = /\.d\.ts(\.map)?$/.test(name) && !declarations.has(path.replace(/\.map$/, ''));
  if (isReplaced || isUnreachable) rmSync(path);
}

const copies = {
  'tree-sitter-bash/LICENSE': 'library/tree-sitter-bash.LICENSE',
  'web-tree-sitter/LICENSE': 'library/web-tree-sitter.LICENSE',
  'zod/LICENSE': 'library/zod.LICENSE',
  'rxjs/LICENSE.txt': 'library/rxjs.LICENSE',
  'tslib/LICENSE.txt': 'library/tslib.LICENSE',
  'xstate/LICENSE': 'src/cli/xstate.LICENSE',
  '@dagrejs/dagre/LICENSE': 'inspector/dagre.LICENSE',
  'preact/LICENSE': 'inspector/preact.LICENSE',
  '@preact/signals/LICENSE': 'inspector/preact-signals.LICENSE',
  '@xterm/xterm/LICENSE': 'inspector/xterm.LICENSE',
};
for (const [from, to] of Object.entries(copies))
  copyFileSync(join(root, 'node_modules', from), join(dist, to));

/** Returns the declaration files that the doors in package.json import, to any depth. A missing one throws. */
function findDeclarations(): ReadonlySet<string> {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>;
  };
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    const imports = readFileSync(path, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g);
    for (const [, file = ''] of imports) visit(join(dirname(path), file.replace(/\.[jt]s$/, '.d.ts')));
  };
  for (const door of Object.values(exports)) if (typeof door !== 'string') visit(join(root, door.types));
  return found;
}

/**
 * Finishes `dist` after the compiler and the bundler: copies the shell grammar and the licences of bundled packages, and removes the
 * modules that the bundles replace.
 */
import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const dist = join(root, 'dist');
const bundles = ['library', 'src/cli'].map((folder) => join(dist, folder));

for (const { name, parentPath } of readdirSync(dist, { recursive: true, withFileTypes: true })) {
  const isBundled = bundles.some((folder) => parentPath === folder);
  if (!isBundled && name.endsWith('.js')) rmSync(join(parentPath, name));
}

const copies = {
  'tree-sitter-bash/tree-sitter-bash.wasm': 'src/policy/shell/tree-sitter-bash.wasm',
  'tree-sitter-bash/LICENSE': 'src/policy/shell/tree-sitter-bash.LICENSE',
  'zod/LICENSE': 'library/zod.LICENSE',
  'rxjs/LICENSE.txt': 'library/rxjs.LICENSE',
  'tslib/LICENSE.txt': 'library/tslib.LICENSE',
};
for (const [from, to] of Object.entries(copies))
  copyFileSync(join(root, 'node_modules', from), join(dist, to));

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { findInstalled } from '../../config/installed-package.ts';

// The build puts the bytes in the place of this module (`inline-wasm.ts`): a bundle of a user's program then needs no file beside it.

let count = 0;

/** Loads the parser's module, a new one at each call: a module has one memory, and keeps it when it is full. */
export async function loadParserModule(): Promise<typeof import('web-tree-sitter')> {
  const { href } = pathToFileURL(findInstalled('web-tree-sitter'));
  return import(`${href.replace(/\.cjs$/, '.js')}?${count++}`);
}

/** Reads the parser, as WebAssembly. */
export function readParserWasm(): Uint8Array {
  return readFileSync(findInstalled('web-tree-sitter/web-tree-sitter.wasm'));
}

/** Reads the grammar of bash, as WebAssembly. */
export function readBashWasm(): Uint8Array {
  return readFileSync(findInstalled('tree-sitter-bash/tree-sitter-bash.wasm'));
}

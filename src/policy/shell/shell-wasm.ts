import { readFileSync } from 'node:fs';
import { findInstalled } from '../../config/installed-package.ts';

// The build puts the bytes in the place of this module (`inline-wasm.ts`): a bundle of a user's program then needs no file beside it.

/** Reads the parser, as WebAssembly. */
export function readParserWasm(): Uint8Array {
  return readFileSync(findInstalled('web-tree-sitter/web-tree-sitter.wasm'));
}

/** Reads the grammar of bash, as WebAssembly. */
export function readBashWasm(): Uint8Array {
  return readFileSync(findInstalled('tree-sitter-bash/tree-sitter-bash.wasm'));
}

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliCompressSync } from 'node:zlib';
import type { Plugin } from 'rolldown';
import { keepLines } from './keep-lines.ts';

const { resolve } = createRequire(import.meta.url);

const wasmModule = /\/src\/policy\/shell\/shell-wasm\.ts$/;
const parserModule = /\/node_modules\/web-tree-sitter\/web-tree-sitter\.js$/;

/**
 * Puts the shell grammar and its parser into the library as text, so that they are found wherever a bundler moves the module. Compressed,
 * they take 0.26 MB in the place of 1.6 MB.
 */
export const inlineWasm: Plugin = {
  name: 'inline-wasm',
  load: (id) => (wasmModule.test(id) ? writeModule() : null),
  transform: (code, id) => (parserModule.test(id) ? keepLines(withoutOwnPlace(code), id) : null),
};

function writeModule(): string {
  const parser = compress('web-tree-sitter/web-tree-sitter.wasm');
  const bash = compress('tree-sitter-bash/tree-sitter-bash.wasm');
  return `
import * as parserModule from 'web-tree-sitter';
const { brotliDecompressSync } = process.getBuiltinModule('node:zlib');
const read = (text) => brotliDecompressSync(Buffer.from(text, 'base64'));
export const loadParserModule = async () => parserModule;
export const readParserWasm = () => read('${parser}');
export const readBashWasm = () => read('${bash}');
`;
}

function compress(specifier: string): string {
  return brotliCompressSync(readFileSync(resolve(specifier))).toString('base64');
}

/**
 * Changes to the parser, so that it works in a bundle without a word of the bundler: it needs the address of no file, names Node's modules as
 * such, can be initialized again, and would evaluate only code inside a grammar, of which the grammar of bash has none.
 */
const changes: readonly (readonly [RegExp, string])[] = [
  [/\bimport\.meta\.url\b/g, '"file:///"'],
  [/\bimport\("(module|fs\/promises)"\)/g, 'import("node:$1")'],
  [/(?<![\w.])eval\(/g, '(0, eval)('],
  // A new memory for each parser: one that is full stays full.
  [/\bModule3 \?\?= await\b/g, 'Module3 = await'],
];

function withoutOwnPlace(code: string): string {
  return changes.reduce((text, [from, to]) => {
    if (text.search(from) < 0) throw new Error(`web-tree-sitter has changed: it does not contain ${from}`);
    return text.replaceAll(from, to);
  }, code);
}

import { Language, Parser } from 'web-tree-sitter';
import { readBashWasm, readParserWasm } from './shell-wasm.ts';

/** Creates a parser for bash. Loaded with the first command that a policy judges; in the built library all its parts are in one file. */
export async function createShellParser(): Promise<Parser> {
  await Parser.init({ wasmBinary: readParserWasm() });
  return new Parser().setLanguage(await Language.load(readBashWasm()));
}

import type { Parser } from 'web-tree-sitter';
import { loadParserModule, readBashWasm, readParserWasm } from './shell-wasm.ts';

/** Creates a parser for bash with a memory of its own. Loaded with the first command that a policy judges. */
export async function createShellParser(): Promise<Parser> {
  const { Language, Parser } = await loadParserModule();
  // A grammar that runs out of memory prints "Aborted()".
  await Parser.init({ wasmBinary: readParserWasm(), printErr: () => {} });
  return new Parser().setLanguage(await Language.load(readBashWasm()));
}

import { setFlagsFromString } from 'node:v8';
import type { Parser } from 'web-tree-sitter';
import { foreignRuntime } from '../../config/host-runtime.ts';
import { loadParserModule, readBashWasm, readParserWasm } from './shell-wasm.ts';

/** Creates a parser for bash with a memory of its own. Loaded with the first command that a policy judges. */
export async function createShellParser(): Promise<Parser> {
  const { Language, Parser } = await loadParserModule();
  // A grammar that runs out of memory prints "Aborted()".
  await Parser.init({ wasmBinary: readParserWasm(), printErr: () => {} });
  return new Parser().setLanguage(Language.loadSync(compileUnoptimized(readBashWasm())));
}

/** The types of Node do not contain it. */
declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => object };

const flags = ['wasm-lazy-compilation', 'wasm-dynamic-tiering', 'wasm-tier-up'];

/**
 * Compiles a module at once, and never again with the optimizing compiler. V8 would do that after two commands, for the lexer, a function of
 * 160 kB: it takes more than two seconds, for which an exit of the program waits, and 700 MB, which can abort the program (nodejs/node#63421).
 * Texts are parsed no faster for it. Other modules keep the settings of V8.
 */
function compileUnoptimized(bytes: Uint8Array): object {
  const hasOwnFlags = process.execArgv.some((argument) => /wasm-(lazy|dynamic|tier)|liftoff/.test(argument));
  if (hasOwnFlags || foreignRuntime() !== null) return new WebAssembly.Module(bytes);
  for (const flag of flags) setFlagsFromString(`--no-${flag}`);
  try {
    return new WebAssembly.Module(bytes);
  } finally {
    for (const flag of flags) setFlagsFromString(`--${flag}`);
  }
}

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type SyntaxNode, toSyntaxNode } from './syntax-node.ts';

export interface ShellGrammar {
  /** `null` when it takes unreasonably long. */
  parse(text: string): { readonly root: SyntaxNode; readonly hasError: boolean } | null;
}

/** Limit for text made to be slow to parse; usual text takes less than a millisecond for each kilobyte. */
const MAX_PARSE_MS = 300;

const FILE = 'tree-sitter-bash.wasm';

/** The grammar of bash, read from disk at the first call and shared by the whole program. */
export const loadShellGrammar: () => Promise<ShellGrammar> = once(async () => {
  const { Language, Parser } = await import('web-tree-sitter');
  await Parser.init();
  const parser = new Parser().setLanguage(await Language.load(findGrammarFile()));
  return {
    parse: (text) => {
      const giveUpAtMs = performance.now() + MAX_PARSE_MS;
      const tree = parser.parse(text, null, { progressCallback: () => performance.now() > giveUpAtMs });
      if (tree === null) {
        parser.reset();
        return null;
      }
      try {
        return { root: toSyntaxNode(tree, text), hasError: tree.rootNode.hasError };
      } finally {
        tree.delete();
      }
    },
  };
});

/** A build puts it beside this module; in the sources it is in a package. */
function findGrammarFile(): string {
  const beside = fileURLToPath(new URL(FILE, import.meta.url));
  return existsSync(beside) ? beside : createRequire(import.meta.url).resolve(`tree-sitter-bash/${FILE}`);
}

/** A failure is not kept: the next call tries again. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
}

import { type SyntaxNode, toSyntaxNode } from './syntax-node.ts';

export interface ShellGrammar {
  /** `null` when it takes unreasonably long. */
  parse(text: string): { readonly root: SyntaxNode; readonly hasError: boolean } | null;
}

/** Limit for text made to be slow to parse; usual text takes less than a millisecond for each kilobyte. */
const MAX_PARSE_MS = 300;

/** The grammar of bash, loaded at the first call and shared by the whole program. */
export const loadShellGrammar: () => Promise<ShellGrammar> = once(async () => {
  const { createShellParser } = await import('./shell-parser.ts');
  const parser = await createShellParser();
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

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Parser, Tree } from 'web-tree-sitter';
import { type SyntaxNode, toSyntaxNode } from './syntax-node.ts';

type GrammarParser = Pick<Parser, 'parse' | 'reset'>;

export interface ShellGrammar {
  /**
   * Parses prepared text, in turns of the event loop; `null` when that takes unreasonably long.
   *
   * @throws the error of a grammar that died; the next call loads another.
   */
  parse(text: string): Promise<{ readonly root: SyntaxNode; readonly hasError: boolean } | null>;
}

const TURN_MS = 8;
const MAX_TURNS = 60;
const MAX_NODES = 12_000;

/** Creates a grammar whose parser is loaded by `load` at the first text, and again after it died. */
export function createShellGrammar(load: () => Promise<GrammarParser>): ShellGrammar {
  let loading: Promise<GrammarParser> | null = null;
  // A parser holds one text at a time.
  let last: Promise<unknown> = Promise.resolve();

  const parse: ShellGrammar['parse'] = async (text) => {
    loading ??= load();
    try {
      const parser = await loading;
      const tree = await parseInTurns(parser, text);
      if (tree === null) return null;
      try {
        const root = await toSyntaxNode(tree, { text, maxNodes: MAX_NODES });
        return root === null ? null : { root, hasError: tree.rootNode.hasError };
      } finally {
        tree.delete();
      }
    } catch (error) {
      loading = null;
      throw error;
    }
  };
  return {
    parse: (text) => {
      const result = last.then(() => parse(text));
      last = result.catch(() => {});
      return result;
    },
  };
}

/** A parser that was interrupted goes on where it was. */
async function parseInTurns(parser: GrammarParser, text: string): Promise<Tree | null> {
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const endMs = performance.now() + TURN_MS;
    const tree = parser.parse(text, null, { progressCallback: () => performance.now() > endMs });
    if (tree !== null) return tree;
    await nextTurn();
  }
  parser.reset();
  return null;
}

/** The grammar of bash, shared by the whole program. */
export const shellGrammar: ShellGrammar = createShellGrammar(async () => {
  const { createShellParser } = await import('./shell-parser.ts');
  return createShellParser();
});

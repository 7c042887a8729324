import type { Tree } from 'web-tree-sitter';

/** A node of a parsed text, free of the parser that made it. */
export interface SyntaxNode {
  /** Name in the grammar; a sign such as `&&` is its own type and not named. */
  readonly type: string;
  readonly isNamed: boolean;
  readonly startIndex: number;
  /** Exclusive. */
  readonly endIndex: number;
  readonly text: string;
  readonly parent: SyntaxNode | null;
  readonly children: readonly SyntaxNode[];
  readonly nextSibling: SyntaxNode | null;
}

interface GrowingNode extends SyntaxNode {
  children: GrowingNode[];
  nextSibling: GrowingNode | null;
}

/** Copies a tree in one walk, which is several times faster than to ask its nodes one by one. */
export function toSyntaxNode(tree: Tree, text: string): SyntaxNode {
  const cursor = tree.walk();
  const take = (parent: GrowingNode | null): GrowingNode => {
    const { nodeType: type, nodeIsNamed: isNamed, startIndex, endIndex } = cursor;
    const node: GrowingNode = {
      type,
      isNamed,
      startIndex,
      endIndex,
      text: text.slice(startIndex, endIndex),
      parent,
      children: [],
      nextSibling: null,
    };
    const before = parent?.children.at(-1);
    if (before !== undefined) before.nextSibling = node;
    parent?.children.push(node);
    return node;
  };
  try {
    const root = take(null);
    let node = root;
    for (;;) {
      if (cursor.gotoFirstChild()) {
        node = take(node);
        continue;
      }
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent() || node.parent === null) return root;
        node = node.parent as GrowingNode;
      }
      node = take(node.parent as GrowingNode);
    }
  } finally {
    cursor.delete();
  }
}

export function namedChildren({ children }: SyntaxNode): readonly SyntaxNode[] {
  return children.filter(({ isNamed }) => isNamed);
}

/** The value of an assignment, behind its `=`; `null` where it is empty. */
export function assignedValue({ children }: SyntaxNode): SyntaxNode | null {
  const equals = children.findIndex(({ type }) => type === '=' || type === '+=');
  return equals === -1 ? null : (children[equals + 1] ?? null);
}

/** Yields a node and all its descendants in the order of the text. */
export function* eachNode(root: SyntaxNode): Generator<SyntaxNode> {
  const waiting = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    yield node;
    for (let index = node.children.length - 1; index >= 0; index--) {
      const child = node.children[index];
      if (child !== undefined) waiting.push(child);
    }
  }
}

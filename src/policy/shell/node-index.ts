import { eachNode, type SyntaxNode } from './syntax-node.ts';

/** Finds the innermost node at a place in the text. */
export function createNodeIndex(root: SyntaxNode): (index: number) => SyntaxNode {
  const leaves = [...eachNode(root)].filter(({ children }) => children.length === 0);
  return (index) => {
    let [low, high] = [0, leaves.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((leaves[middle]?.endIndex ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    const leaf = leaves[low];
    return leaf !== undefined && leaf.startIndex <= index ? leaf : findAround(leaves[low - 1] ?? root, index);
  };
}

/** Between two leaves: the next node above that reaches so far. */
function findAround(before: SyntaxNode, index: number): SyntaxNode {
  let node = before;
  while (node.parent !== null && node.endIndex <= index) node = node.parent;
  return node;
}

import { eachNode, isLiteral, namedChildren, type SyntaxNode } from './syntax-node.ts';

const OTHERWISE = 'is read differently by different shells';

/** Finds a place that the grammar reads otherwise than a shell: a substitution that it overlooked, or words that it lost. */
export function findMisread(root: SyntaxNode, text: string): string | null {
  /** 1: no shell interprets it; 2: no process substitution is in it. */
  const kept = new Uint8Array(text.length);
  const tokens = new Set<number>();
  for (const node of eachNode(root)) {
    const { type, startIndex, endIndex } = node;
    if (isLiteral(node)) kept.fill(1, startIndex, endIndex);
    if (type === 'string_content' || type === 'string') kept.fill(2, startIndex, endIndex);
    if (/^(`|\$\(|\$\{|[<>]\()/.test(type)) tokens.add(startIndex);
    // To a shell without them, `a &>b rm x` is two commands, the second `rm x`, and `((rm x))` runs `rm x`.
    if (type === 'file_redirect' && /^&>/.test(node.text) && namedChildren(node).length > 1) return OTHERWISE;
    if (node.children[0]?.type === '((' && /[\w)}"'] +-?[\w$"'/\\]/.test(node.text)) return OTHERWISE;
    if (type === 'command' && hasGaps(node)) return 'cannot be read as a shell command';
    const isWord = node.isNamed && node.children.length === 0 && !/content|string/.test(type);
    if (isWord && /\n/.test(node.text.replaceAll(/\\[\s\S]/g, ''))) return 'has a line that cannot be read';
  }
  for (const { index, 0: opening } of text.matchAll(/\\[\s\S]|`|\$\(|\$\{|[<>]\(/g)) {
    if (opening.startsWith('\\') || tokens.has(index) || kept[index] === 1) continue;
    if (!(/^[<>]/.test(opening) && kept[index] === 2)) return 'has a substitution that cannot be read';
  }
  return null;
}

/** Tells whether text of a command belongs to no part of it. */
function hasGaps({ children, text, startIndex }: SyntaxNode): boolean {
  let end = startIndex;
  return children.some((part) => {
    const gap = text.slice(end - startIndex, part.startIndex - startIndex);
    end = part.endIndex;
    return !/^\s*$/.test(gap);
  });
}

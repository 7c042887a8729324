import { readWord } from './read-word.ts';
import { eachNode, namedChildren, type SyntaxNode } from './syntax-node.ts';

/**
 * The name of a function that calls itself in a pipe or in the background, as `:(){ :|:& };:` does: each call makes more of
 * itself and none waits. One that merely calls itself is not meant.
 */
export function findSelfCalls(definition: SyntaxNode): readonly string[] {
  const name = namedChildren(definition)[0]?.text;
  const body = namedChildren(definition)[1] ?? null;
  if (name === undefined || body === null) return [];
  for (const node of eachNode(body)) {
    if (node.type === 'command_name' && readWord(node) === name && runsBeside(node, body)) return [name];
  }
  return [];
}

function runsBeside(called: SyntaxNode, body: SyntaxNode): boolean {
  for (let node = called.parent; node !== null && node !== body; node = node.parent) {
    if (node.type === 'pipeline' || node.nextSibling?.type === '&') return true;
  }
  return false;
}

import { readWord } from './read-word.ts';
import { isRedirect } from './redirects.ts';
import { assignedValue, type SyntaxNode } from './syntax-node.ts';
import type { Word } from './word.ts';

export function isStatement({ parent }: SyntaxNode): boolean {
  return (
    parent !== null && !['command', 'declaration_command', 'c_style_for_statement'].includes(parent.type)
  );
}

export function isAssignment({ type }: SyntaxNode): boolean {
  return type === 'variable_assignment';
}

export function toAssignment(node: SyntaxNode): { name: string; value: Word } {
  const value = assignedValue(node);
  return { name: node.children[0]?.text ?? '', value: value === null ? '' : readWord(value) };
}

export function readDeclared(node: SyntaxNode): Word {
  return node.isNamed ? readWord(node) : node.text;
}

export function isHereDocumentPart({ type }: SyntaxNode): boolean {
  return (
    type === 'heredoc_start' ||
    type === 'heredoc_body' ||
    type === 'heredoc_end' ||
    type === 'file_descriptor'
  );
}

/** Parts of a command in which something else may run. */
export function toRunParts(part: SyntaxNode): SyntaxNode[] {
  return isRedirect(part) ? [] : [part];
}

/** Text of a command that belongs to no part of it. */
export function hasGaps({ children, text, startIndex }: SyntaxNode): boolean {
  let end = startIndex;
  const gaps = children.map((part) => {
    const gap = text.slice(end - startIndex, part.startIndex - startIndex);
    end = part.endIndex;
    return gap;
  });
  return gaps.some((gap) => !/^(\s|\\\r?\n)*$/.test(gap));
}

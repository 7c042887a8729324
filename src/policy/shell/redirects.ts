import { readHereDocument } from './here-document.ts';
import { readWord } from './read-word.ts';
import type { Redirection } from './simple-command.ts';
import { namedChildren, type SyntaxNode } from './syntax-node.ts';
import { UNKNOWN, type Word } from './word.ts';

export interface Redirects {
  readonly redirections: readonly Redirection[];
  /** Words behind the file's name belong to the command: `rm >log -rf /`. */
  readonly words: readonly Word[];
  readonly input: Word | null;
}

export const noRedirects: Redirects = { redirections: [], words: [], input: null };

export function isRedirect({ type }: SyntaxNode): boolean {
  return type === 'file_redirect' || type === 'herestring_redirect' || type === 'heredoc_redirect';
}

const wordTypes = [
  'word',
  'string',
  'raw_string',
  'ansi_c_string',
  'translated_string',
  'concatenation',
  'number',
  'simple_expansion',
  'expansion',
  'command_substitution',
  'process_substitution',
  'arithmetic_expansion',
  'brace_expression',
];

export function isWordNode({ type }: SyntaxNode): boolean {
  return wordTypes.includes(type);
}

export function readRedirects(nodes: readonly SyntaxNode[]): Redirects {
  const redirections: Redirection[] = [];
  const words: Word[] = [];
  let input: Word | null = null;
  for (const node of nodes) {
    words.push(...readBeside(node));
    const targets = namedChildren(node)
      .filter((part) => isWordNode(part) && !isDescriptorOfNext(part, node))
      .map(readWord);
    if (node.type === 'file_redirect') {
      const [target, ...rest] = targets;
      const operator = node.children.find((part) => /^[<>&|]+-?$/.test(part.type))?.type ?? '>';
      const isDescriptor = operator.endsWith('&') && target !== undefined && /^\d+-?$|^-$/.test(target);
      const direction = operator.startsWith('<') ? 'read' : 'write';
      words.push(...rest);
      if (target === undefined || isDescriptor) continue;
      redirections.push({ direction, target });
      if (direction === 'read') input = UNKNOWN;
    } else if (node.type === 'herestring_redirect') {
      const [target = '', ...rest] = targets;
      words.push(...rest);
      input = target;
    } else if (node.type === 'heredoc_redirect') {
      words.push(...targets);
      input = readHereDocument(node).text;
    }
  }
  return { redirections, words, input };
}

/** The grammar takes `-rf2>log` for a descriptor with a long name; the shell, for a word and a redirection. */
function readBeside(node: SyntaxNode): readonly Word[] {
  if (!isRedirect(node)) return [];
  const [descriptor] = namedChildren(node).filter(({ type }) => type === 'file_descriptor');
  return descriptor === undefined || /^(\d+|\{\w+\})$/.test(descriptor.text) ? [] : [descriptor.text];
}

/** Returns whether a word is the descriptor of the next redirection: in `>a 0>&1` the grammar takes `0` for a word of the first. */
function isDescriptorOfNext(part: SyntaxNode, redirect: SyntaxNode): boolean {
  const next = redirect.nextSibling;
  return /^\d+$/.test(part.text) && next !== null && isRedirect(next) && next.startIndex === part.endIndex;
}

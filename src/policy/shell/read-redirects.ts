import { documentMark } from './prepare-text.ts';
import { readPart, type WordContext } from './read-word.ts';
import type { Redirection } from './simple-command.ts';
import { namedChildren, type SyntaxNode } from './syntax-node.ts';
import { UNKNOWN, type Word } from './word.ts';

const types = ['file_redirect', 'herestring_redirect', 'heredoc_redirect'];

export function isRedirect({ type }: SyntaxNode): boolean {
  return types.includes(type);
}

export interface Redirects {
  readonly redirections: readonly Redirection[];
  /** Words behind the file's name belong to the command: `rm >log -rf /`. */
  readonly words: readonly Word[];
  readonly input: Word | null;
}

/** Reads the redirections among parts of a command. */
export function readRedirects(nodes: readonly SyntaxNode[], context: WordContext): Redirects {
  const redirections: Redirection[] = [];
  const words: Word[] = [];
  let input: Word | null = null;
  for (const node of nodes) {
    if (!isRedirect(node)) continue;
    const parts = namedChildren(node);
    const descriptor = parts.find(({ type }) => type === 'file_descriptor');
    // The grammar takes `-rf2>log` for a descriptor with a long name; the shell, for a word and a redirection.
    if (descriptor !== undefined && !/^(\d+|\{\w+\})$/.test(descriptor.text)) words.push(descriptor.text);
    const [target, ...rest] = parts
      .filter((part) => part !== descriptor)
      .flatMap((part) => readPart(part, context));
    words.push(...rest);
    if (target === undefined) continue;
    const operator = node.children.find((part) => /^[<>&|]+-?$/.test(part.type))?.type ?? '>';
    if (node.type === 'herestring_redirect') input = target;
    else if (target.startsWith(documentMark)) input = target.slice(1);
    else if (!operator.endsWith('&') || !/^\d+-?$|^-$/.test(target)) {
      const direction = operator.startsWith('<') && operator !== '<>' ? 'read' : 'write';
      redirections.push({ direction, target });
      if (operator.startsWith('<')) input = UNKNOWN;
    }
  }
  return { redirections, words, input };
}

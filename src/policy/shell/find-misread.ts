import { createNodeIndex } from './node-index.ts';
import { eachNode, namedChildren, type SyntaxNode } from './syntax-node.ts';

/** Parts of a text whose content no shell interprets. */
const LITERAL = ['raw_string', 'ansi_c_string', 'comment'];

const QUOTED = [...LITERAL, 'string', 'string_content', 'heredoc_body', 'heredoc_content'];

/** Blanks that separate words for the grammar; for a shell only space, tab and the end of a line do (POSIX 2.3). */
const ODD_BLANK = /[\r\v\f\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/g;

/**
 * Finds a place that the grammar reads differently than a shell does; returns the end of a sentence that begins with "it". The grammar
 * misses some substitutions and takes joined lines for two words; such text is unusual.
 */
export function findMisread(root: SyntaxNode, text: string): string | null {
  const nodeAt = createNodeIndex(root);
  const isQuoted = (index: number) => QUOTED.includes(nodeAt(index).type);
  for (const { index } of text.matchAll(ODD_BLANK)) {
    if (!isQuoted(index)) return 'has a character that is a blank for the parser but not for the shell';
  }
  for (const { index, 0: opening } of text.matchAll(/`|\$\(|\$\{|[<>]\(/g)) {
    if (!isEscaped(text, index) && !isRead(nodeAt(index), opening))
      return 'has a substitution that cannot be read';
  }
  for (const node of eachNode(root)) {
    if (isReadOtherwise(node)) return 'is read differently by different shells';
    if (node.type === 'heredoc_redirect' && !hasRightBody(node, text))
      return 'has a here-document that cannot be read';
  }
  for (const { index } of text.matchAll(/\n/g)) {
    const leaf = nodeAt(index);
    const isInWord = leaf.isNamed && leaf.children.length === 0 && !QUOTED.includes(leaf.type);
    if (isInWord && leaf.parent !== null && !isEscaped(text, index)) return 'has a line that cannot be read';
  }
  for (const { index } of text.matchAll(/\\\n/g)) {
    if (isEscaped(text, index) || isQuoted(index)) continue;
    // POSIX 2.2.1: the lines become one, also in the middle of a word.
    const isBetween = /[\s&|;(){}]/.test(text[index - 1] ?? ' ') || /\s/.test(text[index + 2] ?? ' ');
    if (!isBetween) return 'has a word that continues in the next line';
  }
  return null;
}

function isEscaped(text: string, index: number): boolean {
  let count = 0;
  while (text[index - 1 - count] === '\\') count++;
  return count % 2 === 1;
}

/** A substitution that was understood begins with a token of its own. */
function isRead(leaf: SyntaxNode, opening: string): boolean {
  if (LITERAL.includes(leaf.type) || leaf.type.startsWith(opening)) return true;
  // Backticks in a here-document are looked for elsewhere; in one with a quoted delimiter there are no tokens at all.
  if (leaf.type === 'heredoc_body' || leaf.type === 'heredoc_content') return opening === '`' || isKept(leaf);
  if (opening.endsWith('(') && opening !== '$(')
    return leaf.type === 'string_content' || leaf.type === 'string';
  return false;
}

function isKept(leaf: SyntaxNode): boolean {
  const redirect = leaf.type === 'heredoc_body' ? leaf.parent : leaf.parent?.parent;
  const delimiter =
    (redirect === null || redirect === undefined ? [] : namedChildren(redirect)).find(
      ({ type }) => type === 'heredoc_start',
    )?.text ?? '';
  return /['"\\]/.test(delimiter);
}

/** To a shell without them, `a &>b rm x` is two commands, the second `rm x`, and `((rm x))` runs `rm x`. */
function isReadOtherwise(node: SyntaxNode): boolean {
  const [first, ...rest] = node.children;
  if (node.type === 'file_redirect') return first?.type.startsWith('&>') === true && rest.length > 1;
  return first?.type === '((' && /[\w)}"'] +-?[\w$"'/\\]/.test(node.text);
}

/** POSIX 2.7.4: it begins with the next line and ends with the first line that is the delimiter. */
function hasRightBody(redirect: SyntaxNode, text: string): boolean {
  const part = (type: string) => redirect.children.find((child) => child.type === type);
  const [start, body, end] = [part('heredoc_start'), part('heredoc_body'), part('heredoc_end')];
  if (start === undefined || body === undefined || end === undefined) return false;
  const isIndented = part('<<-') !== undefined;
  const delimiter = start.text.replaceAll(/['"]|\\(?=.)/g, '');
  const firstLine = text.indexOf('\n', start.endIndex) + 1;
  const lines = text.slice(firstLine).split('\n');
  const last = lines.findIndex((line) => (isIndented ? line.replace(/^\t+/, '') : line) === delimiter);
  const endOfBody = firstLine + lines.slice(0, last).reduce((length, line) => length + line.length + 1, 0);
  const beforeEnd = text.slice(endOfBody, end.startIndex);
  return (
    last !== -1 && body.startIndex === firstLine && /^\t*$/.test(beforeEnd) && end.startIndex >= endOfBody
  );
}

import { decodeAnsiC } from './ansi-c.ts';
import { assignedValue, namedChildren, type SyntaxNode } from './syntax-node.ts';
import { UNKNOWN, UNKNOWN_WORDS, type Word } from './word.ts';

/** Undoes the quoting of one word of the grammar. */
export function readWord(node: SyntaxNode): Word {
  switch (node.type) {
    case 'word':
    case 'number':
    case 'variable_name':
    case 'extglob_pattern':
    case 'regex':
    case 'test_operator':
      return namedChildren(node).length > 0 ? joinParts(node) : unescapeBare(node.text);
    case 'string':
      return readString(node);
    case 'raw_string':
      return node.text.slice(1, -1);
    case 'ansi_c_string':
      return decodeAnsiC(node.text.slice(2, -1));
    case 'translated_string':
    case 'command_name':
      return namedChildren(node).map(readWord).join('');
    case 'concatenation':
      return joinParts(node);
    case 'arithmetic_expansion':
    case 'process_substitution':
      return UNKNOWN;
    case 'variable_assignment':
      return readAssignment(node);
    default:
      return UNKNOWN_WORDS;
  }
}

/** A part of a command as a word; none where it is a mere sign. A program's name may be open: `/bin/r?`. */
export function readPart(part: SyntaxNode): readonly Word[] {
  if (!part.isNamed) return readDollar(part);
  const word = readWord(part);
  return [part.type === 'command_name' && word !== '[' && hasPattern(part) ? UNKNOWN_WORDS : word];
}

function readAssignment(node: SyntaxNode): Word {
  const value = assignedValue(node);
  const name = node.children[0]?.text ?? '';
  return `${name}=${value === null ? '' : readWord(value)}`;
}

/** Braces multiply words: `{rm,-rf,/}` is three. */
function joinParts(node: SyntaxNode): Word {
  const bare = namedChildren(node)
    .map((part) => (part.type === 'word' ? part.text : '\ufffc'))
    .join('');
  if (/\{[\s\S]*(,|\.\.)[\s\S]*\}/.test(bare)) return UNKNOWN_WORDS;
  return readParts(node).join('');
}

function readParts(node: SyntaxNode): readonly Word[] {
  return node.children.flatMap((part) => (part.isNamed ? [readWord(part)] : readDollar(part)));
}

/** `$` before a string only says that the string is translated; elsewhere it stands for itself. */
function readDollar({ type, text, endIndex, nextSibling }: SyntaxNode): readonly Word[] {
  const isTranslation = text === '$' && nextSibling?.startIndex === endIndex;
  return type !== '$' || isTranslation ? [] : [unescapeBare(text)];
}

function hasPattern(node: SyntaxNode): boolean {
  if (node.type === 'word') return /[*?[]/.test(node.text.replaceAll(/\\[\s\S]/g, ''));
  if (node.type === 'extglob_pattern') return true;
  return node.type !== 'string' && namedChildren(node).some(hasPattern);
}

/** Text between the parts that the grammar names belongs to the string, too. */
function readString(node: SyntaxNode): Word {
  const { text, startIndex } = node;
  let word = '';
  let end = 1;
  for (const part of namedChildren(node)) {
    word += unescapeQuoted(text.slice(end, part.startIndex - startIndex));
    word += part.type === 'string_content' ? unescapeQuoted(part.text) : unknownIn(part);
    end = part.endIndex - startIndex;
  }
  return word + unescapeQuoted(text.slice(end, -1));
}

/** `"$@"` and `"${a[@]}"` are many words in spite of their quotes. */
function unknownIn(part: SyntaxNode): Word {
  return part.text.includes('@') ? UNKNOWN_WORDS : UNKNOWN;
}

function unescapeBare(text: string): string {
  return text.replaceAll(/\\(\n|[\s\S])/g, (_, character) => (character === '\n' ? '' : character));
}

/** POSIX 2.2.3: within double quotes a backslash quotes these only. */
function unescapeQuoted(text: string): string {
  return text.replaceAll(/\\([$`"\\]|\n)/g, (_, character) => (character === '\n' ? '' : character));
}

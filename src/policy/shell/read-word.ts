import { tmpdir } from 'node:os';
import { homeDirectory } from '../home-directory.ts';
import { decodeAnsiC } from './ansi-c.ts';
import { restoreLiterals } from './prepare-text.ts';
import { assignedValue, namedChildren, type SyntaxNode } from './syntax-node.ts';
import { UNKNOWN, UNKNOWN_WORDS, type Word } from './word.ts';

/** Facts about the text that a word stands in. */
export interface WordContext {
  readonly literals: readonly string[];
  /** Value of a variable where it is known; otherwise `null`. */
  valueOfVariable(name: string): Word | null;
}

const TEMPORARY = /^(tmp|temp)_?(dir|file|folder|path)?$/i;

/** Reads what the text says of its variables: those of `mktemp`, the home, the directory, and a usual name for a temporary one. */
export function createWordContext(text: string, literals: readonly string[]): WordContext {
  const assigned = new Map<string, boolean>();
  const set = /(?:^|[\s;&|({])(?:(?:for|read(?: -\w+)*) +)?(\w+)(?:=("?(?:\$\(|`)mktemp\b)?| in\b)/g;
  for (const [whole, name = '', made] of text.matchAll(set)) {
    if (/=| in$/.test(whole)) assigned.set(name, made !== undefined && assigned.get(name) !== false);
  }
  const valueOfVariable = (name: string): Word | null => {
    const isMade = assigned.get(name);
    if (isMade === true || (isMade === undefined && TEMPORARY.test(name))) return `${tmpdir()}/${UNKNOWN}`;
    if (isMade === false) return null;
    if (name === 'HOME') return homeDirectory();
    return name === 'PWD' ? '.' : null;
  };
  return { literals, valueOfVariable };
}

/** Undoes the quoting of one word of the grammar. */
export function readWord(node: SyntaxNode, context: WordContext): Word {
  const join = () =>
    node.children.map((part) => (part.isNamed ? readWord(part, context) : readSign(part))).join('');
  switch (node.type) {
    case 'word':
    case 'number':
    case 'variable_name':
    case 'extglob_pattern':
    case 'regex':
    case 'test_operator':
      return namedChildren(node).length > 0 ? join() : unescapeBare(node.text);
    case 'string':
      return readString(node, context);
    case 'raw_string':
      return restoreLiterals(node.text.slice(1, -1), context.literals);
    case 'ansi_c_string':
      return decodeAnsiC(node.text.slice(2, -1));
    case 'translated_string':
    case 'command_name':
    case 'concatenation':
      return /^[^'"]*\{[^'"]*(,|\.\.)[^'"]*\}/.test(node.text) ? UNKNOWN_WORDS : join();
    case 'simple_expansion':
    case 'expansion':
      return context.valueOfVariable(toVariable(node)) ?? UNKNOWN_WORDS;
    case 'arithmetic_expansion':
      return UNKNOWN;
    case 'process_substitution':
      return '/dev/fd/63';
    case 'variable_assignment': {
      const { name, value } = readAssignment(node, context);
      return `${name}=${value}`;
    }
    default:
      return UNKNOWN_WORDS;
  }
}

export function readAssignment(node: SyntaxNode, context: WordContext): { name: string; value: Word } {
  const value = assignedValue(node);
  return { name: node.children[0]?.text ?? '', value: value === null ? '' : readWord(value, context) };
}

/** Reads a part of a command: none where it is a mere sign, several where braces multiply it. A program's name may be open: `/bin/r?`. */
export function readPart(part: SyntaxNode, context: WordContext): readonly Word[] {
  if (!part.isNamed) return part.type === '$' ? [readSign(part)] : [];
  const [, before, list, after] =
    /^([^{}$`"'\\]*)\{([^{}$`"'\\]*,[^{}$`"'\\]*)\}([^{}$`"'\\]*)$/.exec(part.text) ?? [];
  if (list !== undefined && part.type !== 'command_name') {
    return list.split(',').map((one) => `${before}${one}${after}`);
  }
  const word = readWord(part, context);
  return [part.type === 'command_name' && word !== '[' && hasPattern(part) ? UNKNOWN_WORDS : word];
}

/** Returns the name of a variable whose value is taken as it is, otherwise an empty one: `$x`, `${x}`, but not `${x#a}`. */
function toVariable({ text }: SyntaxNode): string {
  return /^\$\{?(\w+)\}?$/.exec(text)?.[1] ?? '';
}

/** `$` before a string only says that the string is translated; elsewhere it stands for itself. */
function readSign({ type, parent, endIndex }: SyntaxNode): Word {
  const isTranslation = parent?.children.some(
    ({ startIndex, type: next }) => startIndex === endIndex && next === 'string',
  );
  return type === '$' && isTranslation !== true ? '$' : '';
}

function hasPattern(node: SyntaxNode): boolean {
  if (node.type === 'word') return /[*?[]/.test(node.text.replaceAll(/\\[\s\S]/g, ''));
  if (node.type === 'extglob_pattern') return true;
  return node.type !== 'string' && namedChildren(node).some(hasPattern);
}

/** Text between the parts that the grammar names belongs to the string, too. */
function readString(node: SyntaxNode, context: WordContext): Word {
  const { text, startIndex } = node;
  let word = '';
  let end = 1;
  for (const part of namedChildren(node)) {
    word += unescapeQuoted(text.slice(end, part.startIndex - startIndex));
    word += part.type === 'string_content' ? unescapeQuoted(part.text) : readQuoted(part, context);
    end = part.endIndex - startIndex;
  }
  return restoreLiterals(word + unescapeQuoted(text.slice(end, -1)), context.literals);
}

/** `"$@"` and `"${a[@]}"` are many words in spite of their quotes. */
function readQuoted(part: SyntaxNode, context: WordContext): Word {
  return context.valueOfVariable(toVariable(part)) ?? (part.text.includes('@') ? UNKNOWN_WORDS : UNKNOWN);
}

function unescapeBare(text: string): string {
  return text.replaceAll(/\\([\s\S])/g, '$1');
}

/** POSIX 2.2.3: within double quotes a backslash quotes these only. */
function unescapeQuoted(text: string): string {
  return text.replaceAll(/\\([$`"\\])/g, '$1');
}

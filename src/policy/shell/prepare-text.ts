/** Shell text that the grammar reads as a shell does. */
export interface PreparedText {
  /** Without comments and joined lines; here-documents are files with their text as a name, behind `documentMark`. */
  readonly text: string;
  /** Long literal texts; their marks stand in `text`. */
  readonly literals: readonly string[];
  /** Reason why the text cannot be read, as the end of a sentence that begins with "it". */
  readonly doubt: string | null;
}

/** `document`: the body of a here-document; `group`: parentheses in arithmetic. */
type FrameType = 'code' | 'paren' | 'double' | 'document' | 'brace' | 'arithmetic' | 'group';

interface Frame {
  readonly type: FrameType;
  /** Open `case` statements, in which `)` ends a pattern. */
  cases: number;
}

interface HereDocument {
  /** Position of its file among the pieces. */
  readonly at: number;
  readonly delimiter: string;
  readonly isIndented: boolean;
  readonly isLiteral: boolean;
}

/** Nesting and pipes that the grammar reads in a few milliseconds; its time grows with their square. */
const MAX_NESTING = 60;
const MAX_PIPES = 60;
const LONG_LITERAL = 200;

/** Blanks that separate words for the grammar; for a shell only space, tab and the end of a line do (POSIX 2.3). */
const ODD_BLANK = /[\r\v\f\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/;

/** Begins the name of a file that is a here-document. */
export const documentMark = '\ue001';

/** Replaces the marks of literals by their texts. */
export function restoreLiterals(text: string, literals: readonly string[]): string {
  return text.replaceAll(/\ue000(\d+)\ue000/g, (_, position) => literals[Number(position)] ?? '');
}

/**
 * Rewrites what the grammar reads otherwise than a shell: here-documents (POSIX 2.7.4), joined lines (2.2.1), comments.
 * Takes time linear in the length of the text.
 */
export function prepareText(source: string): PreparedText {
  if (/[\ue000\ue001]/.test(source))
    return { text: '', literals: [], doubt: 'has a character for private use' };
  const literals: string[] = [];
  return { ...prepare(source, { outer: 'code', literals }), literals };
}

function prepare(
  source: string,
  { outer, literals }: { outer: FrameType; literals: string[] },
): Omit<PreparedText, 'literals'> {
  const pieces: string[] = [];
  const stack: Frame[] = [{ type: outer, cases: 0 }];
  let waiting: HereDocument[] = [];
  let doubt: string | null = null;
  let index = 0;
  let pipes = 0;

  const take = (length: number, text = source.slice(index, index + length)): void => {
    pieces.push(text);
    index += length;
  };
  const open = (type: FrameType, length: number): void => {
    stack.push({ type, cases: 0 });
    if (stack.length > MAX_NESTING) doubt = 'is nested too deeply to be read';
    take(length);
  };
  const toLiteral = (text: string, mark = ''): string => `'${mark}\ue000${literals.push(text) - 1}\ue000'`;

  /** Takes text to its end, which no backslash quotes. */
  const takeQuoted = (end: string, length: number): void => {
    let at = index + length;
    while (at < source.length && source[at] !== end) at += source[at] === '\\' ? 2 : 1;
    if (at >= source.length) doubt = 'has a quote without its end';
    take(at + 1 - index);
  };
  const takeRaw = (): void => {
    const end = source.indexOf("'", index + 1);
    if (end === -1) doubt = 'has a quote without its end';
    const text = source.slice(index + 1, end === -1 ? source.length : end);
    take(text.length + 2, text.length > LONG_LITERAL ? toLiteral(text) : `'${text}'`);
  };

  const takeHereDocument = (): void => {
    const opening = /^<<(-?)[ \t]*((?:'[^']*'|"[^"]*"|\\.|[^\s;&|<>()'"\\])+)/;
    const [whole = '<<', dash, word = ''] = opening.exec(source.slice(index, index + 200)) ?? [];
    if (word === '' || /[$`]/.test(word)) doubt = 'has a here-document that cannot be read';
    const delimiter = word.replaceAll(/['"]|\\(?=.)/g, '');
    pieces.push('<');
    waiting.push({
      at: pieces.length,
      delimiter,
      isIndented: dash === '-',
      isLiteral: /['"\\]/.test(word),
    });
    take(whole.length, '');
  };
  const takeBodies = (): void => {
    for (const { at, delimiter, isIndented, isLiteral } of waiting) {
      const lines: string[] = [];
      let isEnded = false;
      while (index < source.length && !isEnded) {
        const end = source.indexOf('\n', index);
        const raw = source.slice(index, end === -1 ? source.length : end);
        const line = isIndented ? raw.replace(/^\t+/, '') : raw;
        isEnded = line === delimiter;
        if (!isEnded) lines.push(`${line}\n`);
        // The end of the last delimiter's line still separates commands.
        index = end === -1 ? source.length : end + 1;
      }
      if (!isEnded) doubt = 'has a here-document without its end';
      const body = lines.join('');
      const inner = isLiteral ? null : prepare(body, { outer: 'document', literals });
      doubt ??= inner?.doubt ?? null;
      pieces[at] = inner === null ? toLiteral(body, documentMark) : `"${documentMark}${inner.text}"`;
    }
    waiting = [];
  };

  const takeCode = (frame: Frame): boolean => {
    const character = source[index] ?? '';
    const before = source[index - 1] ?? '\n';
    const isComputing = frame.type === 'arithmetic' || frame.type === 'group';
    if (character === '#' && /[\s;&|()]/.test(before)) {
      const end = source.indexOf('\n', index);
      index = end === -1 ? source.length : end;
    } else if (character === '\n') {
      take(1);
      pipes = 0;
      takeBodies();
    } else if (source.startsWith('<<<', index)) take(3);
    else if (source.startsWith('<<', index) && !isComputing) takeHereDocument();
    else if ((character === '<' || character === '>') && source[index + 1] === '(') open('paren', 2);
    else if (source.startsWith('((', index) && !isComputing) open('arithmetic', 2);
    else if (character === '(') open(isComputing ? 'group' : 'paren', 1);
    else if (character === ')') {
      const isShort = frame.type === 'arithmetic' && source[index + 1] !== ')';
      if (isShort) doubt = 'has a substitution that cannot be read';
      const endsPattern = frame.type === 'code' || frame.cases > 0;
      if (!endsPattern) stack.pop();
      take(frame.type === 'arithmetic' ? 2 : 1);
    } else if (/[ce]/.test(character) && /[\s;&|()]/.test(before)) {
      const [word] = /^(case|esac)(?![^\s;&|()])/.exec(source.slice(index, index + 5)) ?? [];
      if (word === 'case') frame.cases++;
      if (word === 'esac') frame.cases = Math.max(0, frame.cases - 1);
      take(word?.length ?? 1);
    } else if (ODD_BLANK.test(character))
      doubt = 'has a character that is a blank for the parser but not for the shell';
    else return false;
    return true;
  };

  const takeNext = (): void => {
    const character = source[index] ?? '';
    const next = source[index + 1] ?? '';
    const frame = stack.at(-1) ?? { type: outer, cases: 0 };
    const around = stack.findLast(({ type }) => type !== 'brace')?.type;
    const isText = around === 'double' || around === 'document';
    if (character === '\\') {
      if (next === '\n') take(2, '');
      else if (frame.type === 'document' && !/[$`\\]/.test(next)) take(1, '\\\\');
      else take(2);
    } else if (character === '`') takeQuoted('`', 1);
    else if (source.startsWith('$((', index)) open('arithmetic', 3);
    else if (character === '$' && next === '(') open('paren', 2);
    else if (character === '$' && next === '{') open('brace', 2);
    else if (frame.type === 'document') take(1, character === '"' ? '\\"' : character);
    else if (character === '"') {
      if (frame.type !== 'double') return open('double', 1);
      stack.pop();
      take(1);
    } else if (frame.type === 'brace' && character === '}') {
      stack.pop();
      take(1);
    } else if (isText) take(1);
    else if (character === '$' && next === "'") takeQuoted("'", 2);
    else if (character === "'") takeRaw();
    else if (frame.type === 'brace' || !takeCode(frame)) {
      if (character === '|') pipes++;
      else if (/[;&]/.test(character)) pipes = 0;
      if (pipes > MAX_PIPES) doubt = 'has a pipe of too many commands';
      take(1);
    }
  };

  while (index < source.length && doubt === null) takeNext();
  if (stack.length > 1 || waiting.length > 0) doubt ??= 'cannot be read as a shell command';
  return { text: pieces.join(''), doubt };
}

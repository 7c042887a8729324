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
  return { ...new Preparation(source, { outer: 'code', literals }).prepare(), literals };
}

/** Pass through a text, or through the body of a here-document in it. */
class Preparation {
  readonly #source: string;
  readonly #literals: string[];
  readonly #pieces: string[] = [];
  readonly #outer: Frame;
  /** Frames that are open within the outer one. */
  readonly #stack: Frame[] = [];
  /** Here-documents whose bodies begin behind the line. */
  #waiting: HereDocument[] = [];
  #doubt: string | null = null;
  #index = 0;
  #pipes = 0;

  constructor(source: string, { outer, literals }: { outer: FrameType; literals: string[] }) {
    this.#source = source;
    this.#literals = literals;
    this.#outer = { type: outer, cases: 0 };
  }

  prepare(): Omit<PreparedText, 'literals'> {
    while (this.#index < this.#source.length && this.#doubt === null) this.#takeNext();
    if (this.#stack.length > 0 || this.#waiting.length > 0)
      this.#doubt ??= 'cannot be read as a shell command';
    return { text: this.#pieces.join(''), doubt: this.#doubt };
  }

  #isAt(text: string): boolean {
    return this.#source.startsWith(text, this.#index);
  }

  #take(length: number, text = this.#source.slice(this.#index, this.#index + length)): void {
    this.#pieces.push(text);
    this.#index += length;
  }

  #open(type: FrameType, length: number): void {
    this.#stack.push({ type, cases: 0 });
    if (this.#stack.length >= MAX_NESTING) this.#doubt = 'is nested too deeply to be read';
    this.#take(length);
  }

  #toLiteral(text: string, mark = ''): string {
    return `'${mark}\ue000${this.#literals.push(text) - 1}\ue000'`;
  }

  /** Takes text to its end, which no backslash quotes. */
  #takeQuoted(end: string, length: number): void {
    let at = this.#index + length;
    while (at < this.#source.length && this.#source[at] !== end) at += this.#source[at] === '\\' ? 2 : 1;
    if (at >= this.#source.length) this.#doubt = 'has a quote without its end';
    this.#take(at + 1 - this.#index);
  }

  #takeRaw(): void {
    const end = this.#source.indexOf("'", this.#index + 1);
    if (end === -1) this.#doubt = 'has a quote without its end';
    const text = this.#source.slice(this.#index + 1, end === -1 ? this.#source.length : end);
    this.#take(text.length + 2, text.length > LONG_LITERAL ? this.#toLiteral(text) : `'${text}'`);
  }

  /** Takes the operator and the delimiter; the body follows at the end of the line. */
  #takeHereDocument(): void {
    const opening = /^<<(-?)[ \t]*((?:'[^']*'|"[^"]*"|\\.|[^\s;&|<>()'"\\])+)/;
    const [whole = '<<', dash, word = ''] =
      opening.exec(this.#source.slice(this.#index, this.#index + 200)) ?? [];
    if (word === '' || /[$`]/.test(word)) this.#doubt = 'has a here-document that cannot be read';
    const delimiter = word.replaceAll(/['"]|\\(?=.)/g, '');
    this.#pieces.push('<');
    this.#waiting.push({
      at: this.#pieces.length,
      delimiter,
      isIndented: dash === '-',
      isLiteral: /['"\\]/.test(word),
    });
    this.#take(whole.length, '');
  }

  #takeBodies(): void {
    for (const { at, delimiter, isIndented, isLiteral } of this.#waiting) {
      const lines: string[] = [];
      let isEnded = false;
      while (this.#index < this.#source.length && !isEnded) {
        const end = this.#source.indexOf('\n', this.#index);
        const raw = this.#source.slice(this.#index, end === -1 ? this.#source.length : end);
        const line = isIndented ? raw.replace(/^\t+/, '') : raw;
        isEnded = line === delimiter;
        if (!isEnded) lines.push(`${line}\n`);
        // The end of the last delimiter's line still separates commands.
        this.#index = end === -1 ? this.#source.length : end + 1;
      }
      if (!isEnded) this.#doubt = 'has a here-document without its end';
      const body = lines.join('');
      this.#pieces[at] = isLiteral ? this.#toLiteral(body, documentMark) : this.#prepareBody(body);
    }
    this.#waiting = [];
  }

  #prepareBody(body: string): string {
    const { text, doubt } = new Preparation(body, { outer: 'document', literals: this.#literals }).prepare();
    this.#doubt ??= doubt;
    return `"${documentMark}${text}"`;
  }

  /** Takes a character that has a meaning between words, if it is one. */
  #takeCode(frame: Frame): boolean {
    const character = this.#source[this.#index] ?? '';
    const before = this.#source[this.#index - 1] ?? '\n';
    const isComputing = frame.type === 'arithmetic' || frame.type === 'group';
    if (character === '#' && /[\s;&|()]/.test(before)) {
      const end = this.#source.indexOf('\n', this.#index);
      this.#index = end === -1 ? this.#source.length : end;
    } else if (character === '\n') {
      this.#take(1);
      this.#pipes = 0;
      this.#takeBodies();
    } else if (this.#isAt('<<<')) this.#take(3);
    else if (this.#isAt('<<') && !isComputing) this.#takeHereDocument();
    else if ((character === '<' || character === '>') && this.#source[this.#index + 1] === '(')
      this.#open('paren', 2);
    else if (this.#isAt('((') && !isComputing) this.#open('arithmetic', 2);
    else if (character === '(') this.#open(isComputing ? 'group' : 'paren', 1);
    else if (character === ')') this.#close(frame);
    else if (/[ce]/.test(character) && /[\s;&|()]/.test(before)) this.#takeCase(frame);
    else if (ODD_BLANK.test(character))
      this.#doubt = 'has a character that is a blank for the parser but not for the shell';
    else return false;
    return true;
  }

  /** Takes a parenthesis, which ends a pattern of `case` or the frame. */
  #close(frame: Frame): void {
    const isShort = frame.type === 'arithmetic' && this.#source[this.#index + 1] !== ')';
    if (isShort) this.#doubt = 'has a substitution that cannot be read';
    if (frame.cases === 0) this.#stack.pop();
    this.#take(frame.type === 'arithmetic' ? 2 : 1);
  }

  /** Takes `case` or `esac` where a word begins, or else its first character. */
  #takeCase(frame: Frame): void {
    const [word] = /^(case|esac)(?![^\s;&|()])/.exec(this.#source.slice(this.#index, this.#index + 5)) ?? [];
    if (word === 'case') frame.cases++;
    if (word === 'esac') frame.cases = Math.max(0, frame.cases - 1);
    this.#take(word?.length ?? 1);
  }

  #takeNext(): void {
    const character = this.#source[this.#index] ?? '';
    const next = this.#source[this.#index + 1] ?? '';
    const frame = this.#stack.at(-1) ?? this.#outer;
    const { type: around } = this.#stack.findLast(({ type }) => type !== 'brace') ?? this.#outer;
    const isText = around === 'double' || around === 'document';
    if (character === '\\') {
      if (next === '\n') this.#take(2, '');
      else if (frame.type === 'document' && !/[$`\\]/.test(next)) this.#take(1, '\\\\');
      else this.#take(2);
    } else if (character === '`') this.#takeQuoted('`', 1);
    else if (this.#isAt('$((')) this.#open('arithmetic', 3);
    else if (character === '$' && next === '(') this.#open('paren', 2);
    else if (character === '$' && next === '{') this.#open('brace', 2);
    else if (frame.type === 'document') this.#take(1, character === '"' ? '\\"' : character);
    else if (character === '"') {
      if (frame.type !== 'double') return this.#open('double', 1);
      this.#stack.pop();
      this.#take(1);
    } else if (frame.type === 'brace' && character === '}') {
      this.#stack.pop();
      this.#take(1);
    } else if (isText) this.#take(1);
    else if (character === '$' && next === "'") this.#takeQuoted("'", 2);
    else if (character === "'") this.#takeRaw();
    else if (frame.type === 'brace' || !this.#takeCode(frame)) {
      if (character === '|') this.#pipes++;
      else if (/[;&]/.test(character)) this.#pipes = 0;
      if (this.#pipes > MAX_PIPES) this.#doubt = 'has a pipe of too many commands';
      this.#take(1);
    }
  }
}

import { createEventLoopYield } from '../event-loop-yield.ts';
import { isFind, toFoundPaths } from '../rules/compile-pattern.ts';
import { findInner, isInert, isRunner, isShell, isTransparent } from '../rules/programs.ts';
import { readShellText } from '../shell/read-commands.ts';
import type { ShellGrammar } from '../shell/shell-grammar.ts';
import { type Directory, programOf, type ShellStart, type SimpleCommand } from '../shell/simple-command.ts';
import { isCertain, toShellText, UNKNOWN, UNKNOWN_WORDS, type Word } from '../shell/word.ts';

/** Simple command of a start, at any depth of wrapping. */
export interface Segment {
  readonly command: SimpleCommand;
  /** `certain`: it runs. `guess`: words of another command that may run. */
  readonly type: 'certain' | 'guess';
  /** Words of a runner from another position on; only patterns of more than a program count. */
  readonly isTail: boolean;
  /** Runs another command without adding anything: `nohup`, `timeout 5`. */
  readonly isTransparent: boolean;
}

/** Commands that a start would run, as far as they are known. */
export interface StartReading {
  readonly segments: readonly Segment[];
  /** Reasons why more may run, each as the end of a sentence that begins with "it". */
  readonly doubts: readonly string[];
  /** Functions that multiply themselves. */
  readonly bombs: readonly string[];
}

const MAX_DEPTH = 8;
const MAX_SEGMENTS = 2_000;
const MAX_WORDS = 5_000;
const MAX_TAILS = 40;

/** Limits for one decision: characters of the command, and of the code in all its texts. */
export const MAX_COMMAND_CHARACTERS = 65_536;
const MAX_CODE_CHARACTERS = 16_000;

/** Variables whose value a program hands to a shell. */
const COMMAND_VARIABLES =
  /^(\w+_)?(PAGER|EDITOR|ASKPASS|LESSOPEN|LESSCLOSE)$|^(VISUAL|GIT_SSH_COMMAND|GIT_PROXY_COMMAND|GIT_EXTERNAL_DIFF|PROMPT_COMMAND|RSYNC_RSH)$/;

/** Builtins that take names of variables; bash computes the index of an array: `printf -v 'a[$(…)]'`. */
const DECLARERS =
  /^(export|declare|typeset|local|readonly|read|mapfile|readarray|printf|unset|let|test|\[|\[\[|getopts|wait)$/;
const SUBSCRIPT = /\w\[[^\]]*(\$\(|`|\$\{)/;

/** Programs whose arguments or input are code of their own, which may run commands. */
const INTERPRETERS =
  /^(python[\d.]*|pypy\d?|perl[\d.]*|ruby[\d.]*|php[\d.]*|lua[\d.]*|tclsh|expect|[gmn]?awk|g?sed|make|gmake|vim?|nvim|ex|emacs|gdb|lldb|less|man|rename|at|batch|crontab|psql|mysql|sqlite3)$/;

/** Reads shell text, or a program with its arguments, and whatever these run in turn. */
export async function readStart(
  command: string | readonly string[],
  { directories, grammar }: { readonly directories: readonly Directory[]; readonly grammar: ShellGrammar },
): Promise<StartReading> {
  const reader = new StartReader(grammar);
  const texts = typeof command === 'string' ? [command] : command;
  if (!texts.every(isCertain)) reader.doubts.add('has a NUL character in it');
  else if (texts.join(' ').length > MAX_COMMAND_CHARACTERS)
    reader.doubts.add(`is longer than ${MAX_COMMAND_CHARACTERS} characters`);
  else await reader.read(command, directories);
  return { segments: reader.segments, doubts: [...reader.doubts], bombs: reader.bombs };
}

interface Level {
  /** True for text that may not run at all. */
  readonly isGuess: boolean;
  readonly depth: number;
}

/** Follows the commands of one start into those that they run, within limits for all of them together. */
class StartReader {
  readonly segments: Segment[] = [];
  readonly doubts = new Set<string>();
  readonly bombs: string[] = [];
  readonly #grammar: ShellGrammar;
  /** Texts that this command writes into files. */
  readonly #files = new Map<string, Word>();
  readonly #yieldIfDue = createEventLoopYield();
  #budget = MAX_CODE_CHARACTERS;
  #wordCount = 0;

  constructor(grammar: ShellGrammar) {
    this.#grammar = grammar;
  }

  async read(command: string | readonly string[], directories: readonly Directory[]): Promise<void> {
    const level: Level = { isGuess: false, depth: 0 };
    const start: ShellStart = { directories, input: null };
    if (typeof command === 'string') await this.#readText(command, start, level);
    else await this.#readCommand({ ...start, words: command, assignments: [], redirections: [] }, level);
  }

  /** Records a doubt about text that certainly runs. Guesses raise none. */
  #doubt(why: string, { isGuess }: Level): void {
    if (!isGuess) this.doubts.add(why);
  }

  async #readText(text: Word, start: ShellStart, level: Level): Promise<void> {
    if (/^\s*\0+\s*$/.test(text))
      return this.#doubt('gives a shell text that is only known when it runs', level);
    if (level.depth > MAX_DEPTH) return void this.doubts.add('has too many wrappers to be analysed');
    if (this.#budget <= 0) return void this.doubts.add('is too long to be analysed');
    const reading = await readShellText(toShellText(text), {
      start,
      grammar: this.#grammar,
      limit: this.#budget,
    });
    this.#budget -= Math.min(text.length, 4_000) + 10;
    for (const why of reading.doubts) this.#doubt(why, level);
    this.bombs.push(...reading.bombs);
    for (const found of reading.commands) await this.#readCommand(found, level);
  }

  async #readCommand(command: SimpleCommand, level: Level): Promise<void> {
    await this.#yieldIfDue();
    this.#wordCount += command.words.length;
    if (this.segments.length >= MAX_SEGMENTS || this.#wordCount > MAX_WORDS)
      return void this.doubts.add('consists of too many commands');
    if (level.depth > MAX_DEPTH) return void this.doubts.add('has too many wrappers to be analysed');
    const program = programOf(command);
    const { words, input } = command;
    this.segments.push({
      command,
      type: level.isGuess ? 'guess' : 'certain',
      isTail: false,
      isTransparent: isTransparent(command),
    });
    const inside = { isGuess: level.isGuess, depth: level.depth + 1 };
    const start: ShellStart = { directories: command.directories, input };
    await this.#readVariables(command, inside);
    this.#noteFile(command);
    const [first] = words;
    if (first === undefined) return;
    if (!isCertain(first)) return this.#doubt('runs a program whose name is only known when it runs', level);
    const isSource = program === '.' || program === 'source';
    const written = (isShell(program) || isSource ? words : [first])
      .map((word) => this.#files.get(toFileName(word)))
      .find((text) => text !== undefined);
    if (written !== undefined) await this.#readText(written, start, inside);
    if (DECLARERS.test(program) && [...words, input ?? ''].some((word) => SUBSCRIPT.test(word)))
      this.#doubt('computes with text that runs commands', level);
    if (isShell(program)) return this.#readShell(command, inside);
    if (isSource) return this.#readSource(command, inside);
    if (program === 'eval') return this.#readText(words.slice(1).join(' '), start, inside);
    const isOpen = words.some((word) => word.startsWith('-') && !isCertain(word));
    if (isInert(command) && !isOpen) return;
    if (level.isGuess && !isRunner(program)) return this.#readTexts(command, { ...inside, isGuess: true });
    await this.#readRunner(command, inside);
  }

  /** Judges later words as commands, and arguments with blanks as shell text. */
  async #readRunner(command: SimpleCommand, level: Level): Promise<void> {
    const program = programOf(command);
    let isGuess = level.isGuess || !isRunner(program);
    const words = isFind(command) ? fillIn(command.words) : command.words;
    const added = program === 'xargs' || program === 'parallel' ? [UNKNOWN_WORDS] : [];
    const inner = isRunner(program) && !isFind(command) ? findInner(words) : -1;
    const asCommand = (from: number): SimpleCommand => ({
      ...command,
      words: [...words.slice(from), ...added].filter(
        (word, index) => !(index === 1 && word === '--') && !(isFind(command) && /^[;+]$/.test(word)),
      ),
      assignments: [],
      redirections: [],
    });
    if (inner !== -1) {
      const innermost = asCommand(inner);
      if (!/\s/.test(innermost.words[0] ?? '')) {
        await this.#readCommand(innermost, { ...level, isGuess });
        if (isInert(innermost)) isGuess = true;
      }
    }
    if (inner === -1 && /^(sudo|doas|su|runuser)$/.test(program)) await this.#readInput(command, level);
    let tails = 0;
    for (let index = 1; index < words.length; index++) {
      const word = words[index] ?? '';
      if (index === inner || /^[-{}();+]|\s|\0/.test(word) || word === '') continue;
      if (tails++ > MAX_TAILS || words.length > MAX_WORDS / 10)
        return void this.doubts.add(`contains more than can be analysed: ${program}`);
      const follows = /^(--?exec(dir|-batch)?|--?ok(dir)?|--|-[xX]|-c)$/.test(words[index - 1] ?? '');
      this.segments.push({
        command: asCommand(index),
        type: isGuess ? 'guess' : 'certain',
        isTail: !follows,
        isTransparent: false,
      });
      const name = programOf({ words: [word] });
      if (isShell(name) || isRunner(name) || follows)
        await this.#readCommand(asCommand(index), { ...level, isGuess });
    }
    const isTextBehind = inner !== -1 && isInert(asCommand(inner));
    await this.#readTexts(
      { ...command, words: words.slice(0, isTextBehind ? inner : undefined) },
      { ...level, isGuess },
    );
    if (/^(at|batch|crontab|ed)$/.test(program) && command.input !== null)
      await this.#readInput(command, level);
  }

  async #readTexts(command: SimpleCommand, level: Level): Promise<void> {
    const start = { directories: command.directories, input: command.input };
    for (const text of findInnerTexts(command)) await this.#readText(text, start, level);
  }

  async #readShell(command: SimpleCommand, level: Level): Promise<void> {
    const args = command.words.slice(1);
    const start = { directories: command.directories, input: command.input };
    if (args.some((word) => word === '--version' || word === '--help')) return;
    const cluster = args.find((word) => /^-[A-Za-z]*c[A-Za-z]*$|^--command/.test(word));
    const operands = args.filter(
      (word, index) =>
        !/^[-+]/.test(word) && !/^[-+]\w*[oO]$|^--(rcfile|init-file)$/.test(args[index - 1] ?? ''),
    );
    if (cluster !== undefined) {
      const texts = [
        ...operands.slice(0, /o/.test(cluster) ? 2 : 1),
        ...operands.filter((word) => /\s/.test(word)),
      ];
      const attached = /^--command=(.*)/s.exec(cluster)?.[1];
      for (const text of new Set(attached === undefined ? texts : [attached]))
        await this.#readText(text, start, level);
      if (args.some((word) => word.startsWith('-') && /\s/.test(word)))
        this.#doubt('gives a shell an option that cannot be read', level);
      return;
    }
    const [file] = operands;
    const untilFile = file === undefined ? args : args.slice(0, args.indexOf(file) + 1);
    if (!untilFile.every(isCertain))
      return this.#doubt('gives a shell a file that is only known when it runs', level);
    if (file === undefined || isOwnInput(file) || args.some((word) => /^-\w*s\w*$/.test(word)))
      await this.#readInput(command, level);
  }

  /** Reads a sourced file only where the command itself supplies it, such as `source <(…)`. */
  async #readSource(command: SimpleCommand, level: Level): Promise<void> {
    const [, file = ''] = command.words;
    if (isOwnInput(file)) await this.#readInput(command, level);
    else if (!isCertain(file))
      this.#doubt('reads commands from a file that is only known when it runs', level);
  }

  /** Treats the input of a shell as a program. Without it, anything may be typed. */
  async #readInput(command: SimpleCommand, level: Level): Promise<void> {
    const { input, directories } = command;
    if (input === null) return this.#doubt('starts a shell that reads commands from its input', level);
    await this.#readText(input, { directories, input: UNKNOWN }, level);
  }

  async #readVariables(command: SimpleCommand, level: Level): Promise<void> {
    const start = { directories: command.directories, input: null };
    for (const { name, value } of listVariables(command)) {
      if (COMMAND_VARIABLES.test(name)) await this.#readText(value.replace(/^\|/, ''), start, level);
      if (SUBSCRIPT.test(value))
        this.#doubt('sets a variable to what runs commands where it is computed with', level);
    }
  }

  #noteFile(command: SimpleCommand): void {
    const { redirections, words, input } = command;
    const targets = redirections.filter(({ direction }) => direction === 'write').map(({ target }) => target);
    const text = /^(echo|printf)$/.test(programOf(command)) ? words.slice(1).join(' ') : input;
    if (programOf(command) === 'tee') targets.push(...words.slice(1));
    if (text !== null) for (const target of targets) this.#files.set(toFileName(target), text);
  }
}

/** Puts what `find` finds into the place of `{}`. */
function fillIn(words: readonly Word[]): readonly Word[] {
  return words.flatMap((word) => (word === '{}' ? toFoundPaths(words.slice(1)) : [word]));
}

function toFileName(word: Word): string {
  return word.replace(/^\.\//, '');
}

function isOwnInput(file: Word): boolean {
  return file === '-' || /^\/+(dev\/+(stdin|fd\/)|proc\/+(self|\$\$|\d+)\/+fd\/)/.test(file);
}

/** Lists the variables that a command sets, for itself or for the shell. */
function listVariables(command: SimpleCommand): SimpleCommand['assignments'] {
  const program = programOf(command);
  const declared = DECLARERS.test(program) ? command.words.slice(1) : [];
  const given = program === 'env' ? command.words : [];
  return [
    ...command.assignments,
    ...[...declared, ...given].map((word) => {
      const [, name = '', value = ''] = /^(\w+)\+?=([\s\S]*)$/.exec(word) ?? [];
      return { name, value };
    }),
  ];
}

/** Yields each text in a command that may be one of a shell: arguments with blanks, quoted parts of code, the input of an interpreter. */
function* findInnerTexts(command: SimpleCommand): Generator<Word> {
  const { words, input } = command;
  const isCode = INTERPRETERS.test(programOf(command));
  const args = isCode && input !== null ? [...words.slice(1), input] : words.slice(1);
  for (const word of args) {
    if (!/\s|\\_/.test(word)) continue;
    const plain = word.replaceAll('\\_', ' ');
    const behind = plain.slice(plain.indexOf('=') + 1);
    const texts = [plain, behind, ...(isCode ? findInCode(plain) : [])];
    yield* new Set(texts.map((text) => text.replace(/^[!|]+/, '')));
  }
}

/** Returns the quoted parts of a program, and its end from a dangerous command on. */
function findInCode(code: Word): readonly Word[] {
  const quoted = [...code.matchAll(/(["'`])((?:\\[\s\S]|(?!\1)[^\\])+)\1/g)].map(([, , text = '']) => text);
  return [...quoted.slice(0, 20), code.replace(/^[^!]*!|^.*?\b(?=(rm|dd|mkfs|rimraf|shred)\b)/s, '')];
}

import { programOf, type SimpleCommand } from '../shell/simple-command.ts';
import { isCertain, UNKNOWN, type Word } from '../shell/word.ts';
import { isOfKind, targetKinds, type WorkspacePaths } from './targets.ts';

/** Pattern of a command, compiled. */
export interface CommandPattern {
  /** Tells whether the pattern is a program alone. */
  readonly isBare: boolean;
  readonly program: RegExp;
  /** Names that `program` matches; `null` where it has a glob. */
  readonly names: readonly string[] | null;
  matches(command: SimpleCommand, workspacePaths: WorkspacePaths): boolean;
}

/** Words of a command as the parts of a pattern see them. */
interface Call {
  readonly command: SimpleCommand;
  readonly args: readonly Word[];
  /** Arguments that are no options, and parts of arguments that may be paths. */
  readonly operands: readonly Word[];
  readonly workspacePaths: WorkspacePaths;
}

type Test = (call: Call) => boolean;

/**
 * Compiles a pattern: the program, then parts that must all be there.
 *
 * - `a|b` are alternatives, and `*` is any text.
 * - A word such as `reset` is an argument; several words stand in this order.
 * - `-f` is a letter in any cluster (`-xf`), `--force` a long option, also abbreviated or with a value.
 * - `<home>` is an argument of that kind of place (`targetKinds`), `of=<disk>` one behind a prefix, `out:<disk>` and
 *   `in:<secret>` a file that the shell opens.
 * - `/…/i` is a regular expression for an argument or the input, `args:/…/` one for all arguments, joined by blanks.
 * - `NAME=…` is a variable, and `!` in front of a part excludes it.
 */
export function compilePattern(pattern: string): CommandPattern {
  const [program = '*', ...parts] = splitParts(pattern);
  const words: RegExp[] = [];
  const tests: Test[] = [];
  for (const part of parts) {
    const isExcluded = part.startsWith('!') && part.length > 1;
    const alternatives = splitAlternatives(isExcluded ? part.slice(1) : part);
    if (!isExcluded && alternatives.every(isPlain)) words.push(toGlob(alternatives));
    else {
      const some = alternatives.map(toTest);
      tests.push((call) => some.some((test) => test(call)) !== isExcluded);
    }
  }
  const names = program.split('|');
  const regExp = toGlob(names);
  return {
    isBare: parts.every((part) => part.startsWith('!')),
    program: regExp,
    names: names.some((name) => name.includes('*')) ? null : names,
    matches: (command, workspacePaths) => {
      const name = command.words.length === 0 ? ':' : programOf(command);
      if (!regExp.test(name)) return false;
      const call = toCall(command, workspacePaths);
      return hasInOrder(call.args, words) && tests.every((test) => test(call));
    },
  };
}

const calls = new WeakMap<SimpleCommand, Call>();

function toCall(command: SimpleCommand, workspacePaths: WorkspacePaths): Call {
  const known = calls.get(command);
  if (known !== undefined && known.workspacePaths === workspacePaths) return known;
  const call = readCall(command, workspacePaths);
  calls.set(command, call);
  return call;
}

function readCall(command: SimpleCommand, workspacePaths: WorkspacePaths): Call {
  const args = command.words.slice(1);
  const end = args.indexOf('--');
  const operands = args.flatMap((word, index) => {
    if (!word.startsWith('-') || (end !== -1 && index > end)) return [word, ...toValues(word)];
    return isCertain(word) ? toValues(word) : [UNKNOWN, ...toValues(word)];
  });
  return {
    command,
    args: end === -1 ? args : [...args.slice(0, end + 1), ...args.slice(end + 1).map(toOperand)],
    operands: isFind(command) ? toFoundPaths(args) : operands,
    workspacePaths,
  };
}

export function isFind(command: SimpleCommand): boolean {
  return /^g?find$/.test(programOf(command));
}

/** Returns what `find` finds: where it starts, with the names that it looks for. */
export function toFoundPaths(args: readonly Word[]): readonly Word[] {
  const first = args.findIndex((word) => /^[-(!]/.test(word));
  const given = args.slice(0, first === -1 ? args.length : first);
  const starts = given.length === 0 ? ['.'] : given;
  const names = args.filter(
    (_, index) =>
      /^-i?(name|path|wholename)$/.test(args[index - 1] ?? '') && !/^(!|-not)$/.test(args[index - 2] ?? ''),
  );
  return names.length === 0 ? starts : starts.flatMap((start) => names.map((name) => `${start}/${name}`));
}

/** Behind `--` nothing is an option. */
function toOperand(word: Word): Word {
  return word.startsWith('-') ? `./${word}` : word;
}

/** Parts of a word that may be paths: `--out=x`, `f=@x`, `-ox`, `host:x`. */
function toValues(word: Word): readonly Word[] {
  const behind = [...word.matchAll(/[=@]/g)].slice(0, 4).map(({ index }) => word.slice(index + 1));
  const attached = /^-[A-Za-z]{1,4}([/~.][\s\S]*)$/.exec(word)?.[1];
  return attached === undefined ? behind : [...behind, attached];
}

function hasInOrder(args: readonly Word[], words: readonly RegExp[]): boolean {
  let from = 0;
  return words.every((word) => {
    const found = args.findIndex((arg, index) => index >= from && word.test(arg));
    from = found + 1;
    return found !== -1;
  });
}

/** Splits at blanks, except those in a regular expression. */
function splitParts(pattern: string): readonly string[] {
  return pattern.match(/!?(?:args:)?\/(?:\\.|\[(?:\\.|[^\]])*\]|[^/\\])+\/[ims]*(?=\s|$)|\S+/g) ?? [];
}

function splitAlternatives(part: string): readonly string[] {
  return isExpression(part) ? [part] : part.split('|');
}

function isExpression(part: string): boolean {
  return /^(args:)?\/.+\/[ims]*$/s.test(part);
}

function isPlain(part: string): boolean {
  return !isExpression(part) && !/^-.|<|^(in|out):|^[A-Z_*]+=/.test(part);
}

function toTest(part: string): Test {
  const unknown = [...part.matchAll(/<(\w+)>/g)].find(([, kind = '']) => !Object.hasOwn(targetKinds, kind));
  if (unknown !== undefined && !isExpression(part))
    throw new Error(
      `there is no kind of target ${unknown[0]}; expected one of <${Object.keys(targetKinds).join('>, <')}>`,
    );
  if (isExpression(part)) return toExpressionTest(part);
  const [, place, wanted = ''] = /^(in|out):(.+)$/.exec(part) ?? [];
  if (place !== undefined) return toFileTest(place === 'in' ? 'read' : 'write', wanted);
  const [, prefix = '', kind] = /^(.*)<(\w+)>$/.exec(part) ?? [];
  if (kind !== undefined) {
    return ({ operands, command: { directories }, workspacePaths }) =>
      operands.some(
        (word) =>
          word.startsWith(prefix) &&
          isOfKind(word.slice(prefix.length), { kind, directories, workspacePaths }),
      );
  }
  const glob = toGlob([part]);
  if (/^[A-Z_*]+=/.test(part)) {
    return ({ args, command: { assignments } }) =>
      [...args, ...assignments.map(({ name, value }) => `${name}=${value}`)].some((word) => glob.test(word));
  }
  return toOptionTest(part, glob);
}

function toOptionTest(option: string, glob: RegExp): Test {
  if (option.startsWith('--') && option.length > 2) {
    // getopt_long(3) takes long options cut short.
    return ({ args }) =>
      args.some((word) => {
        const [name = ''] = word.split('=', 1);
        return (
          glob.test(name) ||
          glob.test(word) ||
          (name.length > 4 && isCertain(name) && option.startsWith(name))
        );
      });
  }
  if (/^-[A-Za-z]$/.test(option)) {
    const letter = option.slice(1);
    return ({ args }) =>
      args.some(
        (word) => /^-[A-Za-z0-9]/.test(word) && (/^-[A-Za-z0-9]+/.exec(word)?.[0].includes(letter) ?? false),
      );
  }
  return ({ args }) => args.some((word) => glob.test(word) || word.startsWith(`${option}=`));
}

function toExpressionTest(part: string): Test {
  const isJoined = part.startsWith('args:');
  const text = isJoined ? part.slice('args:'.length) : part;
  const end = text.lastIndexOf('/');
  const regExp = new RegExp(text.slice(1, end), text.slice(end + 1));
  if (isJoined) return ({ args }) => regExp.test(args.join(' '));
  return ({ args, command: { input } }) =>
    args.some((word) => regExp.test(word)) || (input !== null && regExp.test(input));
}

function toFileTest(direction: 'read' | 'write', wanted: string): Test {
  const kind = /^<(\w+)>$/.exec(wanted)?.[1];
  const glob = toGlob([wanted]);
  const isUnknownInput = kind === 'unknown' && direction === 'read';
  return ({ command, workspacePaths }) => {
    const { input, directories, redirections } = command;
    if (isUnknownInput) return input?.startsWith(UNKNOWN) === true;
    const files = redirections.filter((one) => one.direction === direction).map(({ target }) => target);
    if (kind !== undefined)
      return files.some((word) => isOfKind(word, { kind, directories, workspacePaths }));
    const texts = direction === 'read' && input !== null ? [...files, input] : files;
    return texts.some((word) => glob.test(word));
  };
}

function toGlob(alternatives: readonly string[]): RegExp {
  const source = alternatives.map((one) =>
    one.replaceAll(/[.+^${}()[\]\\?]/g, '\\$&').replaceAll('*', '[\\s\\S]*'),
  );
  return new RegExp(`^(?:${source.join('|')})$`, 'i');
}

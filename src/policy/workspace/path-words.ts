import { fileURLToPath } from 'node:url';
import { homeDirectory } from '../home-directory.ts';
import { findInner, isRunner } from '../rules/programs.ts';
import { programOf, type SimpleCommand, toChangeOfDirectory } from '../shell/simple-command.ts';
import { isCertain, type Word } from '../shell/word.ts';

/** A word that may be a path, as a program would open it. */
interface PathWord {
  readonly word: Word;
  /** May also be something else; it counts only where it leads through a link out of the workspace. */
  readonly isGuess: boolean;
}

/** Programs of which no argument is a path. */
const NO_PATHS = new Set(
  'echo printf true false : exit return kill wait sleep unset shift set trap alias eval seq expr let hash type which command builtin umask ulimit jobs fg bg disown say'.split(
    ' ',
  ),
);

const DECLARERS = new Set(['export', 'declare', 'local', 'readonly', 'typeset']);

/** Variables that name programs, which are open wherever they are, or no path. */
const NO_PATH_NAMES =
  /^(PATH|SHELL|VISUAL|CC|CXX|LD|AR|PYTHON|NODE|PS\d|IFS|TZ|LANG|LC_\w+)$|(PAGER|EDITOR)$/;

const PATH_NAMES = /DIR|FILE|PATH|HOME|ROOT|TREE|PREFIX|OUT|CONFIG/;

/** Files that a script for sed reads or writes. */
const SED_FILES = /(?:^|[;{}\d$/,|!\s])[rRwW]\s*([/~.\w][^\s;}]*)/g;

/** Returns the words of a command that may be paths. Those of a command that it runs are left to that command. */
export function toPathWords(command: SimpleCommand): readonly PathWord[] {
  const program = programOf(command);
  const change = toChangeOfDirectory(command.words);
  const inner = isRunner(program) && !/^(g?find|fd|fdfind)$/.test(program) ? findInner(command.words) : -1;
  const sure = [
    ...(change === null ? [] : [change]),
    ...command.redirections.map(({ target }) => target),
    ...toValues(command),
  ].map(toSure);
  if (change !== null || NO_PATHS.has(program) || DECLARERS.has(program)) return sure;
  const own = command.words.slice(
    1,
    inner === -1 ? undefined : inner + (isOwn(command.words, inner) ? 1 : 0),
  );
  const words = own.filter((word, index) => !isText(program, word, own[index - 1]));
  const isSed = /^g?sed$/.test(program);
  const scripts = isSed ? words.filter((word) => !/^-[nErsuz]*i|^\//.test(word)) : [];
  const inScripts = scripts.flatMap((word) => [...word.matchAll(SED_FILES)].map(([, file = '']) => file));
  const isOldTar = /^(bsd)?tar$/.test(program) && /^[A-Za-z]+[/~.]/.test(words[0] ?? '');
  const all = isOldTar ? [`-${words[0]}`, ...words] : words;
  const plain = isSed ? all.filter((word) => !/^-[nErsuz]*e./.test(word) && !isSedScript(word)) : all;
  return [
    ...sure,
    ...inScripts.map((word) => ({ word, isGuess: !word.includes('/') })),
    ...plain.flatMap(toCandidates),
  ];
}

/** Tells whether the word at `inner` belongs to the runner itself: a directory, or the file of an option. */
function isOwn(words: readonly Word[], inner: number): boolean {
  const [before = '', word = ''] = words.slice(inner - 1);
  return /^-[CDaFi]$/.test(before) || word === '..' || (/^-/.test(before) && /^(\.\.|~)/.test(word));
}

/** Tells whether a word is text by its option or its place: `-m`, `-H`, `--title`, a program for awk. */
function isText(program: string, word: Word, before: Word | undefined): boolean {
  if (/^g?find$/.test(program))
    return /^-i?(name|path|wholename|regex|type|size|perm|user)$/.test(before ?? '');
  if (
    /^(-m|--message|--title|--body|-b|-t|-H|--header|-A|--format|--pretty|-X|-w|--write-out|-p|-k|-g)$/.test(
      before ?? '',
    )
  )
    return /^(git|gh|curl|glab|jest|vitest|mocha|pytest|hg)$/.test(program);
  return /^([gmn]?awk|jq|perl)$/.test(program) && /[\s{}$|]|^\.[\w[]/.test(word) && !/^-?\w*[/~]/.test(word);
}

function isSedScript(word: Word): boolean {
  return /^[\d$,!]*\/.*\/[\w,!{}\s]*$|^[\d,$]+[a-z!]*$|^s(\W).*\1.*\1/s.test(word);
}

function toSure(word: Word): PathWord {
  return { word, isGuess: false };
}

/** Returns the values of variables passed to a program. An unknown value counts if it looks like a path, or its name does. */
function toValues(command: SimpleCommand): readonly Word[] {
  const isDeclarer = DECLARERS.has(programOf(command)) || programOf(command) === 'env';
  const declared = (isDeclarer ? command.words.slice(1) : []).flatMap((word) => {
    const [, name = '', value] = /^(\w+)\+?=([\s\S]*)$/.exec(word) ?? [];
    return value === undefined ? [] : [{ name, value }];
  });
  const values = [...command.assignments, ...declared].filter(({ name }) => !NO_PATH_NAMES.test(name));
  return values.flatMap(({ name, value }) => {
    if (isCertain(value)) return toCandidates(value).flatMap(({ word, isGuess }) => (isGuess ? [] : [word]));
    const mayBePath = command.words.length > 0 && (value.includes('/') || PATH_NAMES.test(name));
    return mayBePath ? [value] : [];
  });
}

const LOOKS_LIKE_PATH = /^(\/|~|\.\.(\/|$))/;

/** A word, and what may be a path in it: `--out=/etc/x`, `-I/usr/include`, `@/etc/passwd`, `f=</etc/passwd`, `host:/path`. */
function toCandidates(word: Word): readonly PathWord[] {
  if (!isCertain(word)) return [toSure(word)];
  if (/^file:/i.test(word)) return [toSure(toFilePath(word))];
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return [];
  const parts = word.split(/[=:,@<]/).slice(1);
  const behind = [...word.matchAll(/[=@<]/g)].slice(0, 4).map(({ index }) => word.slice(index + 1));
  const attached = /^-[A-Za-z]([/~.][\s\S]*)$/.exec(word)?.[1];
  const inside = [...parts, ...(attached === undefined ? [] : [attached])];
  const quoted = /\s/.test(word)
    ? [...word.matchAll(/["'\s]((?:\/|~\/|\.\.\/)[^"'\s()]*)/g)].map(([, path = '']) => path)
    : [];
  const guesses = [...parts, ...behind, ...toClusterEnds(word)].filter((part) => part !== '');
  return [
    ...(word.startsWith('-') ? [] : [toSure(word)]),
    ...inside.filter((part) => LOOKS_LIKE_PATH.test(part)).map(toSure),
    ...[...guesses, ...quoted].slice(0, 20).map((part) => ({ word: part, isGuess: true })),
  ];
}

/** Letters in one word, and a value behind any of them: `-rt/etc`, `-qOlink`. */
function toClusterEnds(word: Word): readonly Word[] {
  const [cluster = ''] = /^-[A-Za-z]+/.exec(word) ?? [];
  const starts = Array.from({ length: Math.min(cluster.length, 12) }, (_, index) => index).slice(2);
  return [...starts, cluster.length].filter((start) => start > 1).map((start) => word.slice(start));
}

function toFilePath(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url.slice('file:'.length);
  }
}

/** Expands `~` as the shell does; the home of another user is unknown. */
export function expandHome(path: string): string | null {
  if (path === '~' || path.startsWith('~/')) return homeDirectory() + path.slice(1);
  return /^~[\w.+-]*(\/|$)/.test(path) ? null : path;
}

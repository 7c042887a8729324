import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { toChangeOfDirectory } from '../shell/directories.ts';
import { programOf, type SimpleCommand } from '../shell/simple-command.ts';
import { isCertain, type Word } from '../shell/word.ts';
import { readSedCall } from '../unwrap/sed-call.ts';

/** A word that may be a path, as a program would open it. */
interface PathWord {
  readonly word: Word;
  /** May also be something else; it counts only where it leads through a link out of the workspace. */
  readonly isGuess: boolean;
}

/** Programs of which no argument is a path. */
const NO_PATHS = new Set(
  'echo printf true false : exit return kill wait sleep unset shift set trap alias eval seq expr let hash type which command builtin umask ulimit jobs fg bg disown'.split(
    ' ',
  ),
);

const DECLARERS = new Set(['export', 'declare', 'local', 'readonly', 'typeset']);

/** Variables that name programs, which are open wherever they are, or no path. */
const NO_PATH_NAMES =
  /^(PATH|SHELL|VISUAL|CC|CXX|LD|AR|PYTHON|NODE|PS\d|IFS|TZ|LANG|LC_\w+)$|(PAGER|EDITOR)$/;

const PATH_NAMES = /DIR|FILE|PATH|HOME|ROOT|TREE|PREFIX|OUT|CONFIG/;

/** Words of a command that may be paths. */
export function toPathWords(command: SimpleCommand, ownWords: readonly Word[]): readonly PathWord[] {
  const program = programOf(command);
  const sure = [...command.redirections.map(({ target }) => target), ...toValues(command)].map(toSure);
  if (toChangeOfDirectory(command.words) !== null || NO_PATHS.has(program) || DECLARERS.has(program))
    return sure;
  const isSed = program === 'sed' || program === 'gsed';
  const inScripts = isSed ? readSedCall(command).flatMap((script) => script?.files ?? []) : [];
  const isOldTar = /^(bsd)?tar$/.test(program) && /^[A-Za-z]+[/~.]/.test(ownWords[0] ?? '');
  const all = isOldTar ? [`-${ownWords[0]}`, ...ownWords] : ownWords;
  const words = isSed ? all.filter((word) => !/^-[nErsuz]*e./.test(word)) : all;
  return [...sure, ...inScripts.map(toSure), ...words.flatMap(toCandidates)];
}

function toSure(word: Word): PathWord {
  return { word, isGuess: false };
}

/** Returns the values of variables passed to a program. An unknown value counts if it looks like a path, or its name does. */
function toValues(command: SimpleCommand): readonly Word[] {
  const declared = DECLARERS.has(programOf(command))
    ? command.words.slice(1).flatMap((word) => {
        const [, name = '', value] = /^(\w+)\+?=([\s\S]*)$/.exec(word) ?? [];
        return value === undefined ? [] : [{ name, value }];
      })
    : [];
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
  const guesses = [...parts, ...behind, ...toClusterEnds(word)].filter((part) => part !== '');
  return [
    ...(word.startsWith('-') ? [] : [toSure(word)]),
    ...inside.filter((part) => LOOKS_LIKE_PATH.test(part)).map(toSure),
    ...guesses.map((part) => ({ word: part, isGuess: true })),
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
  if (path === '~' || path.startsWith('~/')) return homedir() + path.slice(1);
  return /^~[\w.+-]*(\/|$)/.test(path) ? null : path;
}

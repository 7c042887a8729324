import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { toChangeOfDirectory } from '../shell/directories.ts';
import { programOf, type SimpleCommand } from '../shell/simple-command.ts';
import { isCertain, type Word } from '../shell/word.ts';

/** Programs of which no argument is a path. */
const NO_PATHS = new Set(
  'echo printf true false : exit return kill wait sleep export declare local readonly typeset unset shift set trap alias eval seq expr let hash type which command builtin umask ulimit jobs fg bg disown'.split(
    ' ',
  ),
);

/** Words of a command that may be paths, as a program would open them. */
export function toPathWords(command: SimpleCommand, ownWords: readonly Word[]): readonly Word[] {
  const files = command.redirections.map(({ target }) => target);
  if (toChangeOfDirectory(command.words) !== null || NO_PATHS.has(programOf(command))) return files;
  return [...files, ...ownWords.flatMap(toCandidates)];
}

/** A word, and what may be a path in it: `--out=/etc/x`, `-I/usr/include`, `@/etc/passwd`, `host:/path`. */
function toCandidates(word: Word): readonly Word[] {
  if (!isCertain(word)) return [word];
  if (/^file:/i.test(word)) return [toFilePath(word)];
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(word)) return [];
  const parts = word.split(/[=:,@]/).slice(1);
  const attached = /^-[A-Za-z]([/~.][\s\S]*)$/.exec(word)?.[1];
  const inside = [...parts, ...(attached === undefined ? [] : [attached])].filter((part) =>
    /^(\/|~|\.\.(\/|$))/.test(part),
  );
  return word.startsWith('-') ? inside : [word, ...inside];
}

function toFilePath(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    return url.slice('file:'.length);
  }
}

/** `~` as the shell expands it; somebody else's home cannot be told. */
export function expandHome(path: string): string | null {
  if (path === '~' || path.startsWith('~/')) return homedir() + path.slice(1);
  return /^~[\w.+-]*(\/|$)/.test(path) ? null : path;
}

import { access } from 'node:fs/promises';
import { isAbsolute, resolve, sep } from 'node:path';
import type { PolicySettings } from '../../config/policy-options.ts';
import { quote } from '../../config/quote.ts';
import type { StartReading } from '../judge/read-start.ts';
import type { Directory } from '../shell/directories.ts';
import { toChangeOfDirectory } from '../shell/directories.ts';
import { programOf } from '../shell/simple-command.ts';
import { isCertain, showWord, type Word } from '../shell/word.ts';
import { findDirectories } from './find-directories.ts';
import { expandHome, toPathWords } from './path-words.ts';
import { runsProgramText } from './program-text.ts';
import { isInside, toRealPath, toRealPaths, UnclearPathError } from './real-path.ts';

type Place =
  | { readonly type: 'inside' }
  | { readonly type: 'outside'; readonly path: string }
  | { readonly type: 'unclear'; readonly why: string };

const OPEN = /^\/dev\/(null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd\/\d+)$/;

type Answer =
  | { readonly type: 'deny'; readonly reason: string; readonly hint: string }
  | { readonly type: 'ask'; readonly why: string };

/** Checks that all paths of a start are inside the workspace; returns `null` when they are. */
export async function checkWorkspace(
  { segments }: Pick<StartReading, 'segments'>,
  { start, settings }: { start: { readonly cwd: string }; settings: PolicySettings },
): Promise<Answer | null> {
  const workspace = settings.workspace ?? start.cwd;
  const roots = await Promise.all([workspace, ...settings.extraPaths].map(toRealPath));
  const locate = (path: string, from: string) => locatePath(path, { from, roots });

  let question: Answer | null = null;
  const note = (place: Place, word: Word): Answer | null => {
    if (place.type === 'outside') return toDenial(word, { place, workspace });
    if (place.type === 'unclear') question ??= { type: 'ask', why: place.why };
    return null;
  };
  const atStart = note(await locate(start.cwd, '/'), start.cwd);
  if (atStart !== null) return atStart;

  const seen = new Set<string>();
  for (const { command, ownWords } of segments) {
    const change = toChangeOfDirectory(command.words);
    const changes = change === null ? [] : [{ word: change, isGuess: false }];
    for (const { word, isGuess } of [...toPathWords(command, ownWords), ...changes]) {
      for (const directory of command.directories) {
        const key = JSON.stringify([word, isGuess, directory]);
        if (seen.has(key)) continue;
        seen.add(key);
        const found = await locateFrom(word, { directory, locate });
        const places = isGuess ? found.filter(({ type }) => type === 'outside').map(toGuess(word)) : found;
        const denial = places.map((place) => note(place, word)).find((answer) => answer !== null);
        if (denial !== undefined) return denial;
      }
    }
    if (settings.sandbox !== 'require' && runsProgramText(command))
      question ??= {
        type: 'ask',
        why: `runs a program for ${programOf(command)} that may open files outside of the workspace`,
      };
  }
  return question;
}

/** A few letters may name a link by chance; a whole path hardly. */
function toGuess(word: Word): (place: Place) => Place {
  return (place) =>
    /[/~]|^.{4}/.test(word)
      ? place
      : { type: 'unclear', why: `may name ${quote(word)}, which leads out of the workspace` };
}

async function locateFrom(
  word: Word,
  { directory, locate }: { directory: Directory; locate: (path: string, from: string) => Promise<Place> },
): Promise<readonly Place[]> {
  const path = isCertain(word) ? expandHome(word) : null;
  if (path === null)
    return [{ type: 'unclear', why: `names a path that is only known when it runs: ${showWord(word)}` }];
  if (isAbsolute(path)) return [await locate(path, '/')];
  const froms = await findDirectories(directory);
  if (froms === null) {
    return [{ type: 'unclear', why: `names ${quote(word)} in a directory that is only known when it runs` }];
  }
  return Promise.all(froms.map((from) => locate(path, from)));
}

async function locatePath(
  path: string,
  { from, roots }: { from: string; roots: readonly string[] },
): Promise<Place> {
  if (OPEN.test(path)) return { type: 'inside' };
  try {
    const reached = await toRealPaths(path, await toRealPath(from));
    const outside = reached.find((real) => !roots.some((root) => isInside(real, root)));
    if (outside === undefined) return { type: 'inside' };
    // `/api/users` and `/^x/d` look like paths and are none.
    if (!(await hasTopFolder(outside)))
      return { type: 'unclear', why: `names ${quote(path)}, which may be a path outside of the workspace` };
    return { type: 'outside', path: outside };
  } catch (error) {
    if (!(error instanceof UnclearPathError)) throw error;
    return { type: 'unclear', why: `names a path that cannot be followed: ${error.message}` };
  }
}

async function hasTopFolder(path: string): Promise<boolean> {
  const [, top = ''] = path.split(sep);
  return access(resolve(sep, top)).then(
    () => true,
    () => false,
  );
}

function toDenial(word: Word, { place, workspace }: { place: { path: string }; workspace: string }): Answer {
  const leads = place.path === word ? '' : `, which leads to ${quote(place.path)},`;
  return {
    type: 'deny',
    reason: `${quote(word)}${leads} is outside of the workspace ${quote(workspace)}.`,
    hint: 'Use paths in the workspace.',
  };
}

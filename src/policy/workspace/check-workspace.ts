import { access, stat } from 'node:fs/promises';
import { isAbsolute, resolve, sep } from 'node:path';
import type { PolicySettings } from '../../config/policy-options.ts';
import { quote } from '../../config/quote.ts';
import type { StartReading } from '../judge/read-start.ts';
import { compilePattern } from '../rules/compile-pattern.ts';
import { findClosed, findReadable } from '../sandbox/confined-paths.ts';
import { type Directory, programOf, type SimpleCommand } from '../shell/simple-command.ts';
import { isCertain, showWord, type Word } from '../shell/word.ts';
import { findOutwardLink } from './outward-links.ts';
import { expandHome, toPathWords } from './path-words.ts';
import { isInside, toRealPath, toRealPaths, UnclearPathError } from './real-path.ts';

type Place =
  | { readonly type: 'inside'; readonly path: string }
  | { readonly type: 'outside'; readonly path: string }
  | { readonly type: 'unclear'; readonly why: string };

type Answer =
  | { readonly type: 'deny'; readonly reason: string; readonly hint: string }
  | { readonly type: 'ask'; readonly why: string };

const OPEN = /^\/dev\/(null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd\/\d+)$/;
const MAX_WORDS = 500;

/** Languages whose programs, as arguments or input, may open any file. */
const programTexts = [
  'python*|pypy* args:/^(-[WX] \\S+ |-[^mc\\s]\\S* )*-[A-Za-z]*c( |$)/',
  'node|nodejs|bun|tsx args:/^(-\\S+ ([^-\\s]\\S* )?)*(-[a-z]*[ep]|--eval|--print)( |=|$)/',
  'deno eval',
  'perl*|ruby* args:/^(-\\S+ )*-[A-Za-z0-9]*[eE]/',
  'php* -r|-B|-R|-E|--run',
  'lua*|luajit|rscript|julia|guile|groovy|scala|elixir|osascript -e|-E|-c|--eval',
  'python*|pypy*|node|nodejs|perl*|ruby*|php*|lua* args:/^-?$/ in:*',
  'awk|gawk|mawk|nawk /getline|>\\s*"/',
  'vi|vim|nvim|ex -c|--cmd',
].map(compilePattern);

/**
 * Checks that all paths of a start are inside the workspace; returns `null` when they are. In a sandbox (`isHeld`) nothing
 * is asked, and a path may be outside where the sandbox lets it be read.
 */
export async function checkWorkspace(
  { segments }: Pick<StartReading, 'segments'>,
  { start, settings, isHeld }: { start: { readonly cwd: string }; settings: PolicySettings; isHeld: boolean },
): Promise<Answer | null> {
  const workspace = settings.workspace ?? start.cwd;
  const roots = await Promise.all([workspace, ...settings.extraPaths].map(toRealPath));
  const isReadable = isHeld ? createReadTest(settings) : () => false;

  let question: Answer | null = null;
  const ask = (why: string): void => {
    question ??= { type: 'ask', why };
  };
  const note = (place: Place, word: Word): Answer | null => {
    if (place.type === 'outside') return toDenial(word, { place, workspace });
    if (place.type === 'unclear') ask(place.why);
    return null;
  };
  const atStart = note(await locatePath(start.cwd, { from: '/', roots }), start.cwd);
  if (atStart !== null) return atStart;

  const seen = new Set<string>();
  for (const { command, type, isTail } of segments) {
    if (type === 'guess' || isTail) continue;
    const inside: string[] = [];
    for (const { word, isGuess } of toPathWords(command)) {
      for (const directory of command.directories) {
        const key = JSON.stringify([word, isGuess, directory]);
        if (seen.has(key)) continue;
        seen.add(key);
        if (seen.size > MAX_WORDS)
          return isHeld ? null : { type: 'ask', why: 'names too many paths to be checked' };
        for (const place of await locateFrom(word, { directory, roots })) {
          if (place.type === 'inside') inside.push(place.path);
          if (isGuess && place.type !== 'outside') continue;
          if (place.type === 'outside' && isReadable(place.path)) continue;
          // A few letters may name a link by chance; a whole path hardly.
          const isChance = isGuess && !/[/~]|^.{4}/.test(word);
          if (isChance) ask(`may name ${quote(word)}, which leads out of the workspace`);
          const denial = isChance ? null : note(place, word);
          if (denial !== null) return denial;
        }
      }
    }
    const link = await findOutwardLink(command, { operands: inside, cwd: start.cwd, roots });
    if (link !== null)
      ask(
        link === ''
          ? 'walks more files than can be checked'
          : `walks through ${quote(link)}, which leads out of the workspace`,
      );
    if (runsProgramText(command))
      ask(`runs a program for ${programOf(command)} that may open files outside of the workspace`);
  }
  return isHeld ? null : question;
}

/** Returns a test for paths outside the workspace that the sandbox lets commands read. */
function createReadTest({ sandboxRead }: PolicySettings): (path: string) => boolean {
  const closed = findClosed();
  const readable = [...findReadable(closed), ...sandboxRead];
  const isBelow = (path: string, folders: readonly string[]) =>
    folders.some((folder) => isInside(path, folder));
  return (path) => isBelow(path, readable) || !isBelow(path, closed);
}

function runsProgramText(command: SimpleCommand): boolean {
  const isText = programTexts.some((pattern) => pattern.matches(command, { workspace: '/', extraPaths: [] }));
  return isText && !(programOf(command) === 'python3' && /^[^-]|^-m/.test(command.words[1] ?? ''));
}

async function locateFrom(
  word: Word,
  { directory, roots }: { directory: Directory; roots: readonly string[] },
): Promise<readonly Place[]> {
  const path = isCertain(word) ? expandHome(word) : null;
  if (path === null)
    return [{ type: 'unclear', why: `names a path that is only known when it runs: ${showWord(word)}` }];
  if (isAbsolute(path)) return [await locatePath(path, { from: '/', roots })];
  const froms = await findDirectories(directory);
  if (froms === null) {
    return [{ type: 'unclear', why: `names ${quote(word)} in a directory that is only known when it runs` }];
  }
  return Promise.all(froms.map((from) => locatePath(path, { from, roots })));
}

/**
 * Resolves the possible directories after the steps of a shell. `cd` resolves `..` by name in one shell and by link in
 * another, and stays where it is if there is no such directory. `null` where a step is unknown.
 */
async function findDirectories(directory: Directory): Promise<readonly string[] | null> {
  let places: readonly string[] = ['/'];
  for (const step of directory) {
    const path = isCertain(step.to) ? expandHome(step.to) : null;
    if (path === null) return null;
    try {
      const reached = await Promise.all(places.map((place) => follow(place, path, step.isReached)));
      places = [...new Set(reached.flat())];
    } catch (error) {
      if (error instanceof UnclearPathError) return null;
      throw error;
    }
    if (places.length > 16) return null;
  }
  return places;
}

async function follow(place: string, path: string, isReached: boolean): Promise<readonly string[]> {
  const byName = resolve(place, path);
  const isSure =
    isReached ||
    (await stat(byName).then(
      (found) => found.isDirectory(),
      () => false,
    ));
  const byLinks =
    !isAbsolute(path) && path.includes('..') ? await toRealPaths(path, await toRealPath(place)) : [];
  return [byName, ...byLinks, ...(isSure ? [] : [place])];
}

async function locatePath(
  path: string,
  { from, roots }: { from: string; roots: readonly string[] },
): Promise<Place> {
  if (OPEN.test(path)) return { type: 'inside', path };
  try {
    const reached = await toRealPaths(path, await toRealPath(from));
    const outside = reached.find((real) => !roots.some((root) => isInside(real, root)));
    if (outside === undefined) return { type: 'inside', path: reached[0] ?? from };
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

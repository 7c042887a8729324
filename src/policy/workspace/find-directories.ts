import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import type { Directory } from '../shell/directories.ts';
import { isCertain } from '../shell/word.ts';
import { expandHome } from './path-words.ts';
import { toRealPath, toRealPaths, UnclearPathError } from './real-path.ts';

/**
 * Resolves the possible directories after the steps of a shell. `cd` resolves `..` by name in one shell and by link in
 * another, so there may be two. Empty where a step cannot have happened, `null` where it is unknown.
 */
export async function findDirectories(directory: Directory): Promise<readonly string[] | null> {
  let places: readonly string[] = ['/'];
  for (const step of directory) {
    const path = toPath('to' in step ? step.to : step.notTo);
    if (path === null) return null;
    try {
      if ('to' in step) {
        places = [...new Set((await Promise.all(places.map((place) => follow(place, path)))).flat())];
      } else {
        const isThere = await Promise.all(places.map((place) => isDirectory(resolve(place, path))));
        places = places.filter((_, index) => isThere[index] === false);
      }
    } catch (error) {
      if (error instanceof UnclearPathError) return null;
      throw error;
    }
    if (places.length > 16) return null;
  }
  return places;
}

function toPath(word: string): string | null {
  return isCertain(word) ? expandHome(word) : null;
}

async function follow(place: string, path: string): Promise<readonly string[]> {
  const byName = resolve(place, path);
  if (isAbsolute(path) || !path.includes('..')) return [byName];
  return [byName, ...(await toRealPaths(path, await toRealPath(place)))];
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

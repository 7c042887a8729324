import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { makeDirectory } from './make-directory.ts';
import { readPrivateFile, replacePrivateFile } from './private-files.ts';
import { checkRecordId } from './record-id.ts';
import { isPrivateDirectory, toRuntimeDirectoryName } from './socket-paths.ts';
import type { StatePaths } from './state-paths.ts';

/** Variables by name; `null` removes one. */
type StoredEnvironment = Readonly<Record<string, string | null>>;

/**
 * Stores the environment of persistent processes for later attempts under another supervisor, outside the
 * project, where no commit or archive includes it. One file per process, 0600, in a private directory, 0700.
 */
export interface EnvironmentStore {
  /**
   * Saves an environment.
   *
   * @throws the system's error; TroupeError `state-directory` if no location is closed to other users.
   */
  save(processId: string, environment: StoredEnvironment): void;
  /** Returns `null` if there is none, for instance after a reboot. */
  read(processId: string): StoredEnvironment | null;
  /** Removes an environment. Never throws. */
  remove(processId: string): void;
  /** Removes what a killed supervisor left: the environments for which `isOrphan` holds, and empty directories. Never throws. */
  prune(isOrphan: (processId: string) => boolean): void;
}

const EXTENSION = '.env';

export function createEnvironmentStore({ directory }: StatePaths): EnvironmentStore {
  const listDirectories = () => places().map((place) => join(place, toRuntimeDirectoryName(directory)));
  const pathsOf = (id: string) => {
    const name = `${checkRecordId(id)}${EXTENSION}`;
    return listDirectories().map((place) => join(place, name));
  };

  return {
    save: (id, environment) => {
      const path = pathsOf(id).find((candidate) => tryMake(dirname(candidate)));
      if (path === undefined) throw noPlace(directory);
      try {
        replacePrivateFile(path, JSON.stringify(environment));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        // Another program removed the directory while it was empty.
        makeDirectory(dirname(path));
        replacePrivateFile(path, JSON.stringify(environment));
      }
    },
    read: (id) => {
      for (const path of pathsOf(id)) {
        const found = isPrivateDirectory(dirname(path)) ? tryRead(path) : null;
        if (found !== null) return found;
      }
      return null;
    },
    remove: (id) => {
      for (const path of pathsOf(id)) {
        if (!isPrivateDirectory(dirname(path))) continue;
        quietly(() => rmSync(path, { force: true }));
        quietly(() => rmdirSync(dirname(path)));
      }
    },
    prune: (isOrphan) => {
      for (const place of listDirectories().filter(isPrivateDirectory)) {
        quietly(() => {
          const stored = readdirSync(place).filter((name) => name.endsWith(EXTENSION));
          for (const name of stored)
            if (isOrphan(name.slice(0, -EXTENSION.length))) rmSync(join(place, name), { force: true });
          rmdirSync(place);
        });
      }
    },
  };
}

/**
 * Lists the candidate locations: another program of this user may have another environment, and must find
 * what this one wrote.
 */
function places(): readonly string[] {
  const own = [process.env['XDG_RUNTIME_DIR'], `/run/user/${process.geteuid?.()}`];
  const runtime = own.flatMap((place = '') =>
    place.startsWith('/') && isPrivateDirectory(place) ? [place] : [],
  );
  return [...new Set([...runtime, tmpdir(), '/tmp'])];
}

function tryMake(place: string): boolean {
  try {
    makeDirectory(place);
    return isPrivateDirectory(place);
  } catch {
    return false;
  }
}

function tryRead(path: string): StoredEnvironment | null {
  try {
    const value: unknown = JSON.parse(readPrivateFile(path));
    return isEnvironment(value) ? value : null;
  } catch {
    return null;
  }
}

function isEnvironment(value: unknown): value is StoredEnvironment {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((each) => each === null || typeof each === 'string')
  );
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // The directory still has files, or was removed meanwhile.
  }
}

function noPlace(directory: string): TroupeError {
  const message = `The environment of a process of ${quote(directory)} was not saved: neither XDG_RUNTIME_DIR nor the temp directory has a place that is closed to other users. The process runs, but no other supervisor can restart it.`;
  return new TroupeError({ code: 'state-directory', message });
}

import { lstatSync, rmdirSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { makeDirectory } from './make-directory.ts';
import { checkPrivateSocket } from './private-files.ts';
import { checkRecordId } from './record-id.ts';
import type { StatePaths } from './state-paths.ts';

/** Longer paths are truncated or refused: unix(7) allows 108 bytes with the NUL, macOS 104. */
const maxSocketPathBytes = 103;

interface SocketPaths {
  /** Returns a path where that supervisor can listen; creates its directory, 0700. */
  make(supervisorId: string): string;
  /** Removes socket files of that supervisor from directories of ours. Anything that is not a socket stays. */
  clear(supervisorId: string, socket: string | null): void;
}

/**
 * Places sockets beside the entries. Where that path is too long, they are in a directory below the system's
 * temp directory, which is named after the state directory and removed with its last socket; that of tmux
 * stays, and its directory with it. A program with another temp directory uses another one.
 */
export function createSocketPaths({ directory, supervisors }: StatePaths): SocketPaths {
  let shortName: string | null = null;
  const toShortName = () => {
    shortName ??= toRuntimeDirectoryName(directory);
    return shortName;
  };

  const pathOf = (supervisorId: string) => {
    const name = `${checkRecordId(supervisorId)}.sock`;
    const usual = join(supervisors, name);
    if (isShortEnough(usual)) return usual;
    return [tmpdir(), '/tmp'].map((at) => join(at, toShortName(), name)).find(isShortEnough) ?? usual;
  };
  /** Compares names only, since another program may have another temp directory. */
  const isShortPlace = (place: string) => basename(place) === toShortName() && isPrivateDirectory(place);

  return {
    make: (supervisorId) => {
      const path = pathOf(supervisorId);
      const place = dirname(path);
      makeDirectory(place);
      if (place !== supervisors && !isPrivateDirectory(place)) throw notOurs(place);
      checkPrivateSocket(path);
      return path;
    },
    clear: (supervisorId, socket) => {
      const usual = pathOf(supervisorId);
      for (const path of new Set([usual, socket === null ? usual : resolve(socket)])) {
        const place = dirname(path);
        const isShort = isShortPlace(place);
        if (!isShort && !path.startsWith(directory + sep)) continue;
        if (isSocket(path)) quietly(() => unlinkSync(path));
        if (isShort) quietly(() => rmdirSync(place));
      }
    },
  };
}

/** Returns the name of the directory outside the state directory for files that cannot be in it. */
export function toRuntimeDirectoryName(stateDirectory: string): string {
  return `troupe-${process.geteuid?.()}-${hashOf(stateDirectory)}`;
}

/**
 * Loads the module on demand: programs that only read create no socket, and loading takes as long as reading
 * some hundred records.
 */
function hashOf(text: string): string {
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

function isShortEnough(path: string): boolean {
  return Buffer.byteLength(path) <= maxSocketPathBytes;
}

function isSocket(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSocket() ?? false;
}

/**
 * Returns true for a directory that is no link and is closed to others: in the shared temp directory, any
 * user may have taken the name.
 */
export function isPrivateDirectory(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  return stats.isDirectory() && stats.uid === process.geteuid?.() && (stats.mode & 0o077) === 0;
}

function notOurs(path: string): TroupeError {
  const message = `${quote(path)} is not a directory that is closed to other users, so no control socket is created there. Remove it, or use a state directory with a shorter path.`;
  return new TroupeError({ code: 'state-directory', message });
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // Another program was faster, or the directory has another socket.
  }
}

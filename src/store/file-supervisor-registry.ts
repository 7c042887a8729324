import { existsSync, lstatSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import { createRealClock } from '../clock/real-clock.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { TableScope } from '../spawn/tree/process-table.ts';
import { readTableScope } from '../spawn/tree/table-scope.ts';
import { createFileRecordStore } from './file-record-store.ts';
import { checkStateDirectory, makeStateDirectory } from './make-state-directory.ts';
import { currentProgram, isRunning } from './program-identity.ts';
import { isRecordId } from './record-id.ts';
import type { ParseRecord } from './record-text.ts';
import { createSocketPaths } from './socket-paths.ts';
import { toStatePaths } from './state-paths.ts';
import type { SupervisorEntry, SupervisorRegistry, SupervisorState } from './supervisor-registry.ts';

interface FileSupervisorRegistry extends SupervisorRegistry {
  /**
   * Returns a path where that supervisor can listen, to be called before `register`: short enough for a
   * socket, in an existing directory. `unregister` removes what this created.
   *
   * @throws the system's error; TroupeError `state-directory` if the place belongs to another user.
   */
  makeSocketPath(supervisorId: string): string;
}

/**
 * Creates the registry of a state directory, in files `supervisors/<id>.json`. Nothing is written before the
 * first registration.
 *
 * Two machines cannot share a state directory: each takes the other's supervisors for dead ones of an earlier
 * boot.
 *
 * @throws TroupeError `state-directory` if the directory is a link, belongs to another user, or is writable
 * for others.
 */
export function createFileSupervisorRegistry(options: {
  /** The state directory. */
  readonly directory: string;
  readonly clock?: Pick<Clock, 'epochMs'>;
}): FileSupervisorRegistry {
  const { clock = createRealClock() } = options;
  const paths = toStatePaths(options.directory);
  checkStateDirectory(paths);
  const store = createFileRecordStore({ directory: paths.supervisors, parse: parseSupervisorEntry, clock });
  const sockets = createSocketPaths(paths);
  const here = readTableScope();
  const program = currentProgram();
  const workspace = dirname(paths.directory);
  let hadWorkspace = existsSync(workspace);

  /** An unreadable entry may belong to a live supervisor. */
  const stateOfUnread = (id: string) => (isGone(paths.supervisorOf(id)) ? 'dead' : 'elsewhere');
  const isThisProgram = (entry: SupervisorEntry | null) =>
    entry?.pid === program.pid && entry.startedAt === program.startedAt && entry.bootId === here.bootId;

  return {
    makeSocketPath: sockets.make,
    register: ({ id, role, socket }) => {
      if (hadWorkspace && !existsSync(workspace)) throw removed(paths.directory);
      makeStateDirectory(paths);
      hadWorkspace = true;
      const earlier = store.read(id);
      const since = earlier !== null && isThisProgram(earlier) ? earlier.since : clock.epochMs();
      store.save(id, { version: 1, id, ...program, ...here, since, role, socket });
    },
    list: () => store.load().records.map((entry) => ({ entry, state: toSupervisorState(entry, here) })),
    stateOf: (id) => {
      // The id may come from a damaged record, which is left alone.
      if (!isRecordId(id)) return 'elsewhere';
      const entry = store.read(id);
      return entry === null ? stateOfUnread(id) : toSupervisorState(entry, here);
    },
    unregister: (id) => {
      // The entry is removed last, because the socket is found through it.
      sockets.clear(id, store.read(id)?.socket ?? null);
      store.remove(id);
    },
  };
}

/** Refuses to recreate a workspace that was removed. */
function removed(directory: string): TroupeError {
  const message = `${quote(directory)} was removed with the directory around it, so nothing is written there any more.`;
  return new TroupeError({ code: 'state-directory', message });
}

function isGone(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

type Fields = Readonly<Partial<Record<keyof SupervisorEntry, unknown>>>;

const checks: { readonly [Name in Exclude<keyof SupervisorEntry, 'version'>]: (value: unknown) => boolean } =
  {
    id: isText,
    // Other numbers signal process groups.
    pid: (value) => Number.isSafeInteger(value) && (value as number) > 0,
    startedAt: isTextOrNull,
    bootId: isTextOrNull,
    pidNamespace: isTextOrNull,
    since: Number.isFinite,
    role: (value) => value === 'program' || value === 'daemon',
    socket: (value) => value === null || (isText(value) && isAbsolute(value)),
  };

/**
 * Parses an entry by hand: every listing of processes reads the registry, and loading a schema library would
 * double its time.
 */
const parseSupervisorEntry: ParseRecord<SupervisorEntry> = (value, id) => {
  if (typeof value !== 'object' || value === null) return { ok: false, why: 'it is not a valid entry' };
  const fields = value as Fields;
  if (fields.version !== 1) {
    return {
      ok: false,
      why: `its version is ${JSON.stringify(fields.version)}; this troupe reads version 1`,
    };
  }
  for (const name of Object.keys(checks) as (keyof typeof checks)[]) {
    if (!checks[name](fields[name])) return { ok: false, why: `"${name}" is not valid in an entry` };
  }
  if (fields.id !== id) return { ok: false, why: 'it is the entry of another supervisor' };
  return { ok: true, record: value as SupervisorEntry };
};

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value);
}

/**
 * Determines the state of the program that wrote an entry, seen from the scope `here`. Unknown states are
 * `elsewhere`. Without a start time (macOS) a later program with the same pid counts as alive.
 */
function toSupervisorState(entry: SupervisorEntry, here: TableScope): SupervisorState {
  if (entry.bootId !== here.bootId) {
    return entry.bootId === null || here.bootId === null ? 'elsewhere' : 'dead';
  }
  if (entry.pidNamespace !== here.pidNamespace) return 'elsewhere';
  try {
    return isRunning(entry) ? 'alive' : 'dead';
  } catch {
    return 'elsewhere';
  }
}

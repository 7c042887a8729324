import { existsSync, lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../clock/clock.ts';
import { createRealClock } from '../clock/real-clock.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { readTableScope } from '../spawn/tree/table-scope.ts';
import { createFileRecordStore } from './file-record-store.ts';
import { checkStateDirectory, makeStateDirectory } from './make-state-directory.ts';
import { thisProgram } from './program.ts';
import { isRecordId } from './record-id.ts';
import { parseRollEntry } from './roll-entry.ts';
import { toRollState } from './roll-state.ts';
import { createSocketPlace } from './socket-place.ts';
import { toStatePaths } from './state-paths.ts';
import type { RollEntry, SupervisorRoll } from './supervisor-roll.ts';

export interface FileSupervisorRoll extends SupervisorRoll {
  /**
   * Where that supervisor can listen, before it enters: a path that is short enough for a socket, in a directory that is there
   * then. `leave` takes away what it made.
   *
   * @throws what the system says; TroupeError `state-directory` where a stranger has the place.
   */
  makeSocketPath(supervisorId: string): string;
}

/**
 * The roll in a state directory: `supervisors/<id>.json`. Nothing is made before somebody enters.
 *
 * A state directory that two machines share is none: each takes the other's supervisors for those of an earlier boot, and dead.
 *
 * @throws TroupeError `state-directory` where the directory is a link, belongs to another user, or can be written to by others.
 */
export function createFileSupervisorRoll(options: {
  /** The state directory. */
  readonly directory: string;
  readonly clock?: Pick<Clock, 'epochMs'>;
}): FileSupervisorRoll {
  const { clock = createRealClock() } = options;
  const paths = toStatePaths(options.directory);
  checkStateDirectory(paths);
  const store = createFileRecordStore({ directory: paths.supervisors, parse: parseRollEntry, clock });
  const sockets = createSocketPlace(paths);
  const here = readTableScope();
  const program = thisProgram();
  const workspace = dirname(paths.directory);
  let hadWorkspace = existsSync(workspace);

  /** An entry that cannot be read may be that of somebody alive. */
  const stateOfUnread = (id: string) => (isGone(paths.supervisorOf(id)) ? 'dead' : 'elsewhere');
  const isThisProgram = (entry: RollEntry | null) =>
    entry?.pid === program.pid && entry.startedAt === program.startedAt && entry.bootId === here.bootId;

  return {
    makeSocketPath: sockets.make,
    enter: ({ id, role, socket }) => {
      if (hadWorkspace && !existsSync(workspace)) throw removed(paths.directory);
      makeStateDirectory(paths);
      hadWorkspace = true;
      const earlier = store.read(id);
      const since = earlier !== null && isThisProgram(earlier) ? earlier.since : clock.epochMs();
      store.save(id, { version: 1, id, ...program, ...here, since, role, socket });
    },
    list: () => store.load().records.map((entry) => ({ entry, state: toRollState(entry, here) })),
    stateOf: (id) => {
      // It may stand in a damaged record, so it is left alone like what is damaged itself.
      if (!isRecordId(id)) return 'elsewhere';
      const entry = store.read(id);
      return entry === null ? stateOfUnread(id) : toRollState(entry, here);
    },
    leave: (id) => {
      // The entry goes last: without it nobody would find the socket.
      sockets.clear(id, store.read(id)?.socket ?? null);
      store.remove(id);
    },
  };
}

/** A workspace that was removed is not made again for its records. */
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

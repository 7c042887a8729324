import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { StateDirectory } from '../state-directory/state-directory.ts';
import { type CliIo, printNote } from './cli-io.ts';
import type { StateFlags } from './verb.ts';

const NAME = '.troupe';

/**
 * Where records are kept, absolute: what the flag names, or TROUPE_STATE_DIR, or the nearest `.troupe` of this user from here upwards;
 * without any, `.troupe` here. Nothing is made.
 */
export function findStateDirectory({
  flag,
  io: { cwd, env },
}: {
  readonly flag: string | undefined;
  readonly io: Pick<CliIo, 'cwd' | 'env'>;
}): string {
  const named = flag ?? env['TROUPE_STATE_DIR'];
  if (named !== undefined && named !== '') return resolve(cwd, named);
  for (let place = cwd; ; place = dirname(place)) {
    if (isOurs(join(place, NAME))) return join(place, NAME);
    if (dirname(place) === place) return join(cwd, NAME);
  }
}

/**
 * Where the processes of an agent are kept: as above. `false` where that cannot be, because a file stands there; its work does not
 * depend on it.
 */
export function findAgentStateDirectory(io: Pick<CliIo, 'cwd' | 'env'>): string | false {
  const directory = findStateDirectory({ flag: undefined, io });
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory() === false ? false : directory;
}

/** A link to a directory counts, and is refused where it is opened: to pass over it in silence would use another directory. */
function isOurs(path: string): boolean {
  try {
    return lstatSync(path).uid === process.geteuid?.() && statSync(path).isDirectory();
  } catch {
    return false;
  }
}

export type OpenState = (options: { readonly directory: string }) => StateDirectory | Promise<StateDirectory>;

/** What every verb about processes works with. */
export interface VerbInput<Flags extends StateFlags = StateFlags> {
  readonly flags: Flags;
  readonly io: CliIo;
  /** Opens a state directory; by default the real one. */
  readonly open?: OpenState;
}

/** Opens the state directory that is meant, for as long as the work lasts. */
export async function withState<T>(
  { flags, io, open = openReal }: VerbInput,
  work: (state: StateDirectory) => Promise<T>,
): Promise<T> {
  const directory = findStateDirectory({ flag: flags.stateDir, io });
  if (flags.stateDir !== undefined && !existsSync(directory)) {
    printNote(io, `"${directory}" is not there, so nothing is known of any process. Is --state-dir right?`);
  }
  const state = await open({ directory });
  try {
    return await work(state);
  } finally {
    state.close();
  }
}

const openReal: OpenState = async (options) => {
  const { openStateDirectory } = await import('../state-directory/open-state-directory.ts');
  return openStateDirectory({
    ...options,
    startDaemon: async () => {
      const { openDaemon } = await import('./open-daemon.ts');
      (await openDaemon(options)).close();
    },
  });
};

import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { StateDirectory } from '../state-directory/state-directory.ts';
import { type CliIo, printNote } from './cli-io.ts';
import type { StateFlags } from './verb.ts';

const NAME = '.troupe';

/**
 * Returns the absolute path of the state directory: the one given by the flag, else by TROUPE_STATE_DIR, else the nearest `.troupe` of
 * this user in the current directory or above, else `.troupe` in the current directory. Creates nothing.
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
 * Returns the state directory for the processes of an agent. `false` if a file stands in its place: the agent then works without records.
 */
export function findAgentStateDirectory(io: Pick<CliIo, 'cwd' | 'env'>): string | false {
  const directory = findStateDirectory({ flag: undefined, io });
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory() === false ? false : directory;
}

/** Tells whether a path is a directory of this user. A link counts, and is refused when opened: skipping it would silently use another directory. */
function isOurs(path: string): boolean {
  try {
    return lstatSync(path).uid === process.geteuid?.() && statSync(path).isDirectory();
  } catch {
    return false;
  }
}

export type OpenState = (options: { readonly directory: string }) => StateDirectory | Promise<StateDirectory>;

/** Input of every verb that works on processes. */
export interface VerbInput<Flags extends StateFlags = StateFlags> {
  readonly flags: Flags;
  readonly io: CliIo;
  /** Opens a state directory. Default: the one on disk. */
  readonly open?: OpenState;
}

/** Opens the state directory that the flags name, and closes it after the work. */
export async function withState<T>(
  { flags, io, open = openReal }: VerbInput,
  work: (state: StateDirectory) => Promise<T>,
): Promise<T> {
  const directory = findStateDirectory({ flag: flags.stateDir, io });
  if (flags.stateDir !== undefined && !existsSync(directory)) {
    printNote(io, `"${directory}" does not exist, so no process is known. Check --state-dir.`);
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

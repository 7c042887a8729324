import { existsSync } from 'node:fs';
import type { StateDirectory } from '../../state-directory/state-directory.ts';
import { type CliIo, printNote } from '../cli-io.ts';
import { findStateDirectory } from '../state-dir.ts';
import type { StateFlags } from './state-flags.ts';

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
  const { openStateDirectory } = await import('../../state-directory/open-state-directory.ts');
  return openStateDirectory({
    ...options,
    startDaemon: async () => {
      const { openDaemon } = await import('../daemon.ts');
      (await openDaemon(options)).close();
    },
  });
};

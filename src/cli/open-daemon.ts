import { extname, join } from 'node:path';
import type { CommandSpec } from '../config/process-spec.ts';
import type { ProcessView } from '../process/process-view.ts';

/** A connection to the daemon of a state directory. The daemon does not end while it is open. */
export interface Daemon {
  /** Starts a process in the daemon, with the environment of this program. Rejects with the error of the supervisor. */
  start(spec: CommandSpec): Promise<ProcessView>;
  close(): void;
}

export type OpenDaemon = (options: { readonly directory: string }) => Promise<Daemon>;

/** The file of this program: `main.ts`, or `main.js` once built. */
export const programFile = join(import.meta.dirname, `main${extname(import.meta.filename)}`);

/** Connects to the daemon of a state directory, and starts one if none runs. */
export const openDaemon: OpenDaemon = async ({ directory }) => {
  const { ensureDaemon } = await import('../control/ensure-daemon.ts');
  return ensureDaemon({ directory, program: programFile });
};

/** Settings for commands that a person starts: no time limit unless one is given, and no hints meant for agents. */
export const interactiveDefaults = {
  background: true,
  maxExecutionTime: 0,
  notifyAfterSilence: 0,
  hints: { pager: false, gitPrompt: false, term: false },
} as const satisfies Partial<CommandSpec>;

import { extname, join } from 'node:path';
import type { CommandSpec } from '../config/process-spec.ts';
import type { ProcessView } from '../process/process-view.ts';

/** What verbs want of the supervisor without a program of its own. It does not end while this is open. */
export interface Daemon {
  /** Starts a process there, in our environment. Rejects with what the supervisor refused. */
  start(spec: CommandSpec): Promise<ProcessView>;
  close(): void;
}

export type OpenDaemon = (options: { readonly directory: string }) => Promise<Daemon>;

/** This program, as Node starts it; the built one has another ending. */
export const programFile = join(import.meta.dirname, `main${extname(import.meta.filename)}`);

/** The daemon of a state directory, started if need be. */
export const openDaemon: OpenDaemon = async ({ directory }) => {
  const { ensureDaemon } = await import('../control/ensure-daemon.ts');
  return ensureDaemon({ directory, program: programFile });
};

/** A person sets limits where they are wanted, and is asked by no pager. */
export const interactiveDefaults = {
  background: true,
  maxExecutionTime: 0,
  notifyAfterSilence: 0,
  hints: { pager: false, gitPrompt: false, term: false },
} as const satisfies Partial<CommandSpec>;

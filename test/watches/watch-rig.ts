import type { CommandSpec, Supervisor, SupervisorOptions } from '../../src/index.ts';
import type { News } from '../../src/mailbox/news.ts';
import { createSupervisor } from '../../src/supervisor/create-supervisor.ts';
import {
  createScriptedBackend,
  createVirtualClock,
  type ScriptedRun,
  type VirtualClock,
} from '../../src/testing/index.ts';
import { turn } from '../supervisor/scripted-rig.ts';

/** Nothing happens by itself: no limit, and no notice of any other kind. */
const quietSettings = {
  stateDirectory: false,
  maxBackgroundTime: 0,
  notifyAfterSilence: 0,
} as const satisfies SupervisorOptions;

export interface WatchRig extends AsyncDisposable {
  readonly supervisor: Supervisor;
  readonly clock: VirtualClock;
  readonly news: readonly News[];
  start(spec?: Partial<CommandSpec>): { readonly id: string; readonly run: ScriptedRun };
  /** Moves the time on, in steps in which what was asked for is answered. */
  pass(ms: number): Promise<void>;
}

/** A supervisor whose time stands still, and what its watches tell. */
export function createWatchRig(options: SupervisorOptions = {}): WatchRig {
  const clock = createVirtualClock();
  const backend = createScriptedBackend(undefined, { terminal: true });
  const supervisor = createSupervisor({ ...quietSettings, clock, backend, ...options });
  const news: News[] = [];
  supervisor.news$.subscribe((each) => news.push(each));
  return {
    supervisor,
    clock,
    news,
    start: (spec = {}) => {
      const { id } = supervisor.start({ command: ['scripted'], background: true, ...spec });
      return { id, run: backend.lastRun };
    },
    pass: async (ms) => {
      await turn();
      for (let left = ms; left > 0; left -= 50) {
        clock.advance(Math.min(50, left));
        await turn();
      }
    },
    [Symbol.asyncDispose]: async () => {
      const done = supervisor.shutdown();
      clock.advance(60_000);
      await done;
    },
  };
}

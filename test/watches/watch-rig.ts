import type { CommandSpec } from '../../src/index.ts';
import type { News } from '../../src/mailbox/news.ts';
import type { ScriptedRun } from '../../src/testing/index.ts';
import { createVirtualHarness, type VirtualHarness, type VirtualOptions } from '../support/virtual.ts';

/** No limit, and no notification of any other kind. */
const quietSettings = {
  maxBackgroundTime: 0,
  notifyAfterSilence: 0,
} as const satisfies VirtualOptions;

export interface WatchRig extends VirtualHarness {
  /** Notifications of the supervisor, oldest first. */
  readonly news: readonly News[];
  start(spec?: Partial<CommandSpec>): { readonly id: string; readonly run: ScriptedRun };
}

/** Creates a supervisor whose only notifications are those of its watches. */
export function createWatchRig(options: VirtualOptions = {}): WatchRig {
  const rig = createVirtualHarness({ hasTerminal: true, ...quietSettings, ...options });
  const news: News[] = [];
  rig.supervisor.news$.subscribe((each) => news.push(each));
  return {
    ...rig,
    news,
    start: (spec = {}) => {
      const { id } = rig.supervisor.start({ command: ['scripted'], background: true, ...spec });
      return { id, run: rig.backend.lastRun };
    },
  };
}

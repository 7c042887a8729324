import type { BackendPort } from '../backend.ts';
import { readScreenFile } from '../terminal/screen-text.ts';

/** Time the last output may need to reach the log once nothing is left that could print. */
const lastOutputMs = 2_000;

/** Reports once that no more output of an attempt can come, after it has kept the last screen. */
interface OutputEnd {
  /** Notes that no process of the tree is left to print. */
  treeEmptied(): void;
  /** Notes that the leader was lost: the remaining output still has its usual time to arrive. */
  leaderLost(): void;
  /** Checks the status file again after it has changed. */
  look(): void;
  /** Tells whether all output so far is in the log; after a time this is assumed. */
  isOutputComplete(): boolean;
}

export function createOutputEnd(
  port: Pick<BackendPort, 'tell' | 'keepScreen' | 'clock'>,
  options: {
    readonly screenPath: string;
    /** Tells whether all output was written. @throws where the status file cannot be read. */
    readonly isDrained: () => boolean;
    /** Calls back later, but not after the process was detached from. */
    readonly schedule: (pauseMs: number, act: () => void) => void;
    readonly onEnded: () => void;
    readonly reportError: (error: unknown) => void;
  },
): OutputEnd {
  let isTreeEmpty = false;
  let hasEnded = false;
  let firstQuietAtMs: number | null = null;

  function look(): void {
    if (isTreeEmpty && !hasEnded && isDrained()) end();
  }

  function isDrained(): boolean {
    try {
      return options.isDrained();
    } catch (error) {
      options.reportError(error);
      return false;
    }
  }

  function end(): void {
    if (hasEnded) return;
    hasEnded = true;
    const screen = readScreenFile(options.screenPath);
    // Missing where the tmux server was killed from outside.
    if (screen !== null) port.keepScreen(screen);
    port.tell({ type: 'output.ended' });
    options.onEnded();
  }

  return {
    treeEmptied: () => {
      if (isTreeEmpty) return;
      isTreeEmpty = true;
      look();
      options.schedule(lastOutputMs, end);
    },
    leaderLost: () => options.schedule(lastOutputMs, end),
    look,
    isOutputComplete: () => {
      firstQuietAtMs ??= port.clock.nowMs();
      return hasEnded || port.clock.nowMs() - firstQuietAtMs >= lastOutputMs || isDrained();
    },
  };
}

import type { BackendPort } from '../backend.ts';
import { readScreenFile } from '../terminal/screen-text.ts';

/** Time the last output may need to reach the log once nothing is left that could print. */
const lastOutputMs = 2_000;
/** Longest wait for a terminal that is being closed; its server closes it after ten seconds at the latest. */
const longestCloseMs = 12_000;

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
    /** Tells whether the terminal is still there, so that its last screen is still to come. */
    readonly isOpen: () => Promise<boolean>;
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

  function endSoon(): void {
    const latestMs = port.clock.nowMs() + longestCloseMs;
    const endUnlessOpen = async (): Promise<void> => {
      if (hasEnded) return;
      const waits = port.clock.nowMs() < latestMs && (await isOpen());
      if (waits) options.schedule(lastOutputMs, () => void endUnlessOpen());
      else end();
    };
    options.schedule(lastOutputMs, () => void endUnlessOpen());
  }

  async function isOpen(): Promise<boolean> {
    try {
      return await options.isOpen();
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
      endSoon();
    },
    leaderLost: endSoon,
    look,
    isOutputComplete: () => {
      firstQuietAtMs ??= port.clock.nowMs();
      return hasEnded || port.clock.nowMs() - firstQuietAtMs >= lastOutputMs || isDrained();
    },
  };
}

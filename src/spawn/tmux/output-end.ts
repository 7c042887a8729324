import type { BackendPort } from '../backend.ts';
import { readScreenFile } from '../terminal/screen-text.ts';

/** Nothing lives that could print: so long the rest may be on its way to the log. */
const lastOutputMs = 2_000;

/** Says that no more output of one attempt can come, once, and before that how its screen looked. */
export interface OutputEnd {
  /** Nothing of its tree lives that could print. */
  alone(): void;
  /** Nobody can say that all was taken down: it is waited for all the same. */
  lost(): void;
  /** Something was written down: it may have been that all is. */
  look(): void;
  /** Whether a silence of the log means that all of the output is in it; after a time it does, whatever is known. */
  isQuietTrue(): boolean;
}

export function createOutputEnd(
  port: Pick<BackendPort, 'tell' | 'keepScreen' | 'clock'>,
  wiring: {
    readonly screenPath: string;
    /** All was taken down. @throws where that cannot be read. */
    readonly isDrained: () => boolean;
    /** Not called any more once it was let go of. */
    readonly later: (pauseMs: number, act: () => void) => void;
    readonly onEnded: () => void;
    readonly reportError: (error: unknown) => void;
  },
): OutputEnd {
  let isAlone = false;
  let hasEnded = false;
  let firstQuietAtMs: number | null = null;

  function look(): void {
    if (isAlone && !hasEnded && isDrained()) end();
  }

  function isDrained(): boolean {
    try {
      return wiring.isDrained();
    } catch (error) {
      wiring.reportError(error);
      return false;
    }
  }

  function end(): void {
    if (hasEnded) return;
    hasEnded = true;
    const screen = readScreenFile(wiring.screenPath);
    // It was never taken where the tmux server was ended from outside.
    if (screen !== null) port.keepScreen(screen);
    port.tell({ type: 'output.ended' });
    wiring.onEnded();
  }

  return {
    alone: () => {
      if (isAlone) return;
      isAlone = true;
      look();
      wiring.later(lastOutputMs, end);
    },
    lost: () => wiring.later(lastOutputMs, end),
    look,
    isQuietTrue: () => {
      firstQuietAtMs ??= port.clock.nowMs();
      return hasEnded || port.clock.nowMs() - firstQuietAtMs >= lastOutputMs || isDrained();
    },
  };
}

import type { Cancel, Clock } from '../clock/clock.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import { type ChangeSource, withoutBlankEnd } from './change-source.ts';

/** Alternating pauses between two looks: with a single one a spinner of the same period would seem to stand still. */
const GAPS_MS = [250, 330];

/**
 * Observes a process in a terminal: the screen counts, and a screen that is redrawn as it was has not changed. The screen is captured only
 * after output. The cursor does not count.
 */
export function watchScreen(
  process: SupervisedProcess,
  { clock, reportError }: { readonly clock: Clock; readonly reportError: (error: unknown) => void },
): ChangeSource {
  let changedAtMs = clock.nowMs();
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let looks = 0;
  let shown: readonly string[] | null = null;
  let isLooking = false;
  let hasOutput = false;
  let isStopped = false;
  let cancelNext: Cancel | null = null;
  let onNextChange: (() => void) | null = null;
  let waiting: ((lines: readonly string[]) => void)[] = [];

  const lookSoon = () => {
    hasOutput = true;
    if (isLooking || cancelNext !== null) return;
    const gapMs = GAPS_MS[looks % GAPS_MS.length] ?? 0;
    if (lookedAtMs + gapMs <= clock.nowMs()) return lookNow();
    cancelNext = clock.at(lookedAtMs + gapMs, lookNow, { idle: true });
  };

  const lookNow = () => {
    cancelNext?.();
    cancelNext = null;
    isLooking = true;
    const because = hasOutput ? 'output' : 'asked';
    hasOutput = false;
    lookedAtMs = clock.nowMs();
    looks += 1;
    process.input.terminal
      .capture()
      .then((answer) => take(answer.ok ? withoutBlankEnd(answer.screen.lines) : shown, because))
      .catch(reportError);
  };

  /** `lines` is `null` while no capture has succeeded. */
  const take = (lines: readonly string[] | null, because: 'output' | 'asked') => {
    if (isStopped) return;
    isLooking = false;
    const hasChanged = shown === null ? because === 'output' : !isSame(shown, lines ?? []);
    shown = lines;
    if (hasChanged) note();
    const told = waiting;
    waiting = [];
    for (const tell of told) tell(shown ?? []);
    if (hasOutput) lookSoon();
  };

  const note = () => {
    changedAtMs = clock.nowMs();
    const tell = onNextChange;
    onNextChange = null;
    tell?.();
  };

  const stopListening = process.output.log.onWrite(lookSoon);
  // The first screen, which later ones are compared with.
  lookNow();

  return {
    get changedAtMs() {
      return changedAtMs;
    },
    beginAnew: () => {
      changedAtMs = clock.nowMs();
    },
    look: (onSeen) => {
      waiting.push(onSeen);
      if (!isLooking) lookNow();
    },
    awaitChange: (onChange) => {
      onNextChange = onChange;
    },
    stop: () => {
      isStopped = true;
      stopListening();
      cancelNext?.();
    },
  };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index]);
}

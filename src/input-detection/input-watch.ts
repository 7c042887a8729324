import type { Cancel, Clock } from '../clock/clock.ts';
import type { AwaitedInput } from '../process/process-view.ts';
import type { SeenInput } from './look-for-input.ts';

/** Time without output and input before the first look. */
const quietMs = 300;
/** Pauses between further looks while nothing changes. */
const pausesMs: readonly number[] = [1_000, 3_000];
const longestPauseMs = 10_000;
/** Maximum delay of output in a log that another program writes. */
const latePromptMs = 250;

/** Watches one process for a wait for input. */
export interface InputWatch {
  /** Notes that input was written, so the process no longer waits. */
  typed(): void;
  /** Looks now without reusing an earlier result: input from elsewhere is not reported to `typed`. */
  look(): Promise<AwaitedInput | null>;
  cancel(): void;
}

/**
 * Looks when a process has gone quiet, and then at growing intervals until there is output or input. Does nothing while the process
 * prints, and does not keep the program alive.
 */
export function watchInput(options: {
  readonly clock: Clock;
  readonly log: { readonly lastWriteAtMs: number; onWrite(listener: () => void): Cancel };
  /** Looks once. `before` is the last result, which may be reused; `null` to read everything again. */
  readonly look: (before: SeenInput | null) => Promise<SeenInput | null>;
  /** `true` if another program writes the log, so that a prompt may appear there after the process already waits. */
  readonly isLogLate?: boolean;
  /** Called when the process begins to wait, waits for something else, or no longer waits. */
  readonly onChange: (awaited: AwaitedInput | null) => void;
}): InputWatch {
  const { clock, log, onChange, isLogLate = false } = options;
  let awaited: AwaitedInput | null = null;
  let typedAtMs = clock.nowMs();
  let looks = 0;
  /** Number that increases when the result of a running look may be outdated. */
  let era = 0;
  let looking: Promise<void> | null = null;
  let isCancelled = false;
  const cancelled = Promise.withResolvers<void>();

  const arm = (atMs: number) => clock.at(atMs, () => void turn(), { idle: true });
  let cancelTimer = arm(typedAtMs + quietMs);

  async function turn(): Promise<void> {
    // Postponed when due instead of rearmed at each write: a process may print a thousand times a second.
    const firstMs = Math.max(typedAtMs, log.lastWriteAtMs) + quietMs;
    if (looks === 0 && clock.nowMs() < firstMs) {
      cancelTimer = arm(firstMs);
      return;
    }
    const pauseMs = pausesMs[looks] ?? longestPauseMs;
    looks += 1;
    cancelTimer = arm(clock.nowMs() + pauseMs);
    await lookOnce(awaited);
  }

  function lookOnce(before: SeenInput | null): Promise<void> {
    looking ??= seeNow(before).finally(() => {
      looking = null;
    });
    return looking;
  }

  async function seeNow(before: SeenInput | null): Promise<void> {
    let seenIn = era;
    let seen = await look(before);
    if (isLogLate && awaited === null && seen?.prompt === null) {
      await untilPrinted();
      seenIn = era;
      seen = await look(null);
    }
    if (seenIn === era && !isCancelled) become(seen);
  }

  function look(before: SeenInput | null): Promise<SeenInput | null> {
    return isCancelled ? Promise.resolve(null) : options.look(before).catch(() => null);
  }

  async function untilPrinted(): Promise<void> {
    const pause = Promise.withResolvers<void>();
    const cancelPause = clock.at(clock.nowMs() + latePromptMs, () => pause.resolve());
    await Promise.race([pause.promise, cancelled.promise]);
    cancelPause();
  }

  function become(seen: SeenInput | null): void {
    if (isSame(seen, awaited)) return;
    const { kind, certainty, prompt } = seen ?? {};
    awaited =
      kind === undefined || certainty === undefined || prompt === undefined
        ? null
        : { kind, certainty, prompt, since: awaited?.since ?? clock.epochMs() };
    onChange(awaited);
  }

  function stir(): void {
    era += 1;
    if (looks > 0) {
      looks = 0;
      cancelTimer();
      cancelTimer = arm(clock.nowMs() + quietMs);
    }
    become(null);
  }

  const cancelWrites = log.onWrite(stir);
  return {
    typed: () => {
      typedAtMs = clock.nowMs();
      stir();
    },
    look: async () => {
      // A running look may have begun before the call and be outdated.
      await looking;
      if (!isCancelled) await lookOnce(null);
      return awaited;
    },
    cancel: () => {
      if (isCancelled) return;
      isCancelled = true;
      cancelled.resolve();
      cancelTimer();
      cancelWrites();
      become(null);
    },
  };
}

function isSame(seen: SeenInput | null, known: SeenInput | null): boolean {
  if (seen === null || known === null) return seen === known;
  return seen.kind === known.kind && seen.certainty === known.certainty && seen.prompt === known.prompt;
}

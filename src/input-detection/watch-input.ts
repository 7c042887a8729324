import type { Cancel, Clock } from '../clock/clock.ts';
import type { AwaitedInput } from '../process/process-view.ts';
import type { SeenInput } from './look-for-input.ts';

/** So long nothing was printed and nothing typed before the first look. */
const quietMs = 300;
/** From one look to the next while it stays so. */
const pausesMs: readonly number[] = [1_000, 3_000];
const longestPauseMs = 10_000;
/** So long what was printed may be on its way to a log that others write. */
const latePromptMs = 250;

/** Watches one process for a wait for input. */
export interface InputWatch {
  /** Somebody has typed: what it waited for is there. */
  typed(): void;
  /** Looks now, and takes nothing over from an earlier look: what is typed past us is not told to `typed`. */
  look(): Promise<AwaitedInput | null>;
  cancel(): void;
}

/**
 * Looks when a process has gone quiet, and then ever more seldom until it prints or somebody types. It costs the process nothing
 * while it prints, and keeps no program alive.
 */
export function watchInput(options: {
  readonly clock: Clock;
  readonly log: { readonly lastWriteAtMs: number; onWrite(listener: () => void): Cancel };
  /** `before`: what was seen last, of which something may be taken over; `null` where all is to be seen anew. */
  readonly look: (before: SeenInput | null) => Promise<SeenInput | null>;
  /** The log is written by others, and a prompt may come to it later than the wait for its answer is seen. */
  readonly isLogLate?: boolean;
  /** It waits from now on, for something else, or no more. */
  readonly onChange: (awaited: AwaitedInput | null) => void;
}): InputWatch {
  const { clock, log, onChange, isLogLate = false } = options;
  let awaited: AwaitedInput | null = null;
  let typedAtMs = clock.nowMs();
  let looks = 0;
  /** Another one as soon as what a look has seen may be over. */
  let era = 0;
  let looking: Promise<void> | null = null;
  let isCancelled = false;
  const cancelled = Promise.withResolvers<void>();

  const arm = (atMs: number) => clock.at(atMs, () => void turn(), { idle: true });
  let cancelTimer = arm(typedAtMs + quietMs);

  async function turn(): Promise<void> {
    // Put off, and not armed anew with each write: a process may print a thousand times a second.
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
      // One that is under way may have begun before what is asked about.
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

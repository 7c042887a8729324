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
/** Maximum looks for one caller. A look is repeated if output or input arrives during it. */
const maxLooks = 5;

export interface InputWatchOptions {
  readonly clock: Clock;
  readonly log: { readonly lastWriteAtMs: number; onWrite(listener: () => void): Cancel };
  /** Looks once. `before` is the last result, which may be reused; `null` to read everything again. */
  readonly look: (before: SeenInput | null) => Promise<SeenInput | null>;
  /** `true` if another program writes the log, so that a prompt may appear there after the process already waits. */
  readonly isLogLate?: boolean;
  /** Called when the process begins to wait, waits for something else, or no longer waits. */
  readonly onChange: (awaited: AwaitedInput | null) => void;
}

/** Public part of an input watch. */
export type InputWatchHandle = Pick<InputWatch, 'typed' | 'look' | 'cancel'>;

/**
 * Watches one process for a wait for input. Looks when the process has gone quiet, and then at growing intervals until there is output
 * or input. Does nothing while the process prints, and does not keep the program alive.
 */
export class InputWatch {
  readonly #options: InputWatchOptions;
  readonly #cancelled = Promise.withResolvers<void>();
  readonly #cancelWrites: Cancel;
  #cancelTimer: Cancel;
  #awaited: AwaitedInput | null = null;
  #typedAtMs: number;
  #looks = 0;
  /** Number that increases when the result of a running look may be outdated. */
  #era = 0;
  #looking: Promise<boolean> | null = null;
  #isCancelled = false;

  /** Begins to watch. */
  constructor(options: InputWatchOptions) {
    this.#options = options;
    this.#typedAtMs = options.clock.nowMs();
    this.#cancelTimer = this.#arm(this.#typedAtMs + quietMs);
    this.#cancelWrites = options.log.onWrite(() => this.#stir());
  }

  /** Notes that input was written, so the process no longer waits. */
  typed(): void {
    this.#typedAtMs = this.#options.clock.nowMs();
    this.#stir();
  }

  /** Looks now without reusing an earlier result: input from elsewhere is not reported to `typed`. */
  async look(): Promise<AwaitedInput | null> {
    // A running look may have begun before the call and be outdated.
    await this.#looking;
    for (let looks = 0; looks < maxLooks && !this.#isCancelled; looks += 1) {
      if (await this.#lookOnce(null)) break;
    }
    return this.#awaited;
  }

  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#cancelled.resolve();
    this.#cancelTimer();
    this.#cancelWrites();
    this.#become(null);
  }

  #arm(atMs: number): Cancel {
    return this.#options.clock.at(atMs, () => void this.#turn(), { idle: true });
  }

  async #turn(): Promise<void> {
    const { clock, log } = this.#options;
    // Postponed when due instead of rearmed at each write: a process may print a thousand times a second.
    const firstMs = Math.max(this.#typedAtMs, log.lastWriteAtMs) + quietMs;
    if (this.#looks === 0 && clock.nowMs() < firstMs) {
      this.#cancelTimer = this.#arm(firstMs);
      return;
    }
    const pauseMs = pausesMs[this.#looks] ?? longestPauseMs;
    this.#looks += 1;
    this.#cancelTimer = this.#arm(clock.nowMs() + pauseMs);
    await this.#lookOnce(this.#awaited);
  }

  /** Resolves to `false` if the result is outdated: a wait was seen, but output or input arrived during the look. */
  #lookOnce(before: SeenInput | null): Promise<boolean> {
    this.#looking ??= this.#lookNow(before).finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #lookNow(before: SeenInput | null): Promise<boolean> {
    let seenIn = this.#era;
    let seen = await this.#see(before);
    if (this.#options.isLogLate === true && this.#awaited === null && seen?.prompt === null) {
      await this.#untilPrinted();
      seenIn = this.#era;
      seen = await this.#see(null);
    }
    if (seenIn !== this.#era) return seen === null;
    if (!this.#isCancelled) this.#become(seen);
    return true;
  }

  #see(before: SeenInput | null): Promise<SeenInput | null> {
    return this.#isCancelled ? Promise.resolve(null) : this.#options.look(before).catch(() => null);
  }

  async #untilPrinted(): Promise<void> {
    const { clock } = this.#options;
    const pause = Promise.withResolvers<void>();
    const cancelPause = clock.at(clock.nowMs() + latePromptMs, () => pause.resolve());
    await Promise.race([pause.promise, this.#cancelled.promise]);
    cancelPause();
  }

  #become(seen: SeenInput | null): void {
    if (isSame(seen, this.#awaited)) return;
    this.#awaited = toAwaited(seen, this.#awaited?.since ?? this.#options.clock.epochMs());
    this.#options.onChange(this.#awaited);
  }

  /** Begins anew: there was output or input. */
  #stir(): void {
    this.#era += 1;
    if (this.#looks > 0) {
      this.#looks = 0;
      this.#cancelTimer();
      this.#cancelTimer = this.#arm(this.#options.clock.nowMs() + quietMs);
    }
    this.#become(null);
  }
}

function toAwaited(seen: SeenInput | null, since: number): AwaitedInput | null {
  if (seen === null) return null;
  const { kind, certainty, prompt } = seen;
  return { kind, certainty, prompt, since };
}

function isSame(seen: SeenInput | null, known: SeenInput | null): boolean {
  if (seen === null || known === null) return seen === known;
  return seen.kind === known.kind && seen.certainty === known.certainty && seen.prompt === known.prompt;
}

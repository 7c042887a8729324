import type { Clock } from '../../clock/clock.ts';
import { createRealClock } from '../../clock/real-clock.ts';
import type { SeenProcess, StateDirectory } from '../../state-directory/state-directory.ts';
import { printError } from '../cli-io.ts';
import { onEndSignal, toSignalCode } from '../end-signals.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseProcesses, printMissed } from '../find-process.ts';
import { parseDuration } from '../flag-values.ts';
import { toProcessName } from '../render/process-text.ts';
import { showProgress } from '../render/progress-line.ts';
import type { StateFlags } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

export interface WaitFlags extends StateFlags {
  readonly timeout?: string;
}

export interface WaitScene extends VerbInput<WaitFlags> {
  /** What names the processes. */
  readonly words: readonly string[];
  readonly clock?: Clock;
}

/** What processes are waited for. */
export interface WaitGoal<Answer> {
  /** Waits for one of them. May reject once `signal` is aborted: nobody waits any more. */
  wait(state: StateDirectory, one: { readonly id: string; readonly signal: AbortSignal }): Promise<Answer>;
  /** Says what became of one, as soon as it is known. */
  report(answer: Answer): void;
  /** Of all of them, in the order in which they were named. */
  toExitCode(answers: readonly Answer[]): number;
  /** What stands behind the names of those that are left when the time is over. */
  readonly late: string;
}

/** Waits for each of the processes until a signal or the time ends it; they are not touched. @returns the exit code. */
export function waitForEach<Answer>(scene: WaitScene, goal: WaitGoal<Answer>): Promise<number> {
  const { flags, io, clock = createRealClock() } = scene;
  const timeoutMs = flags.timeout === undefined ? null : parseDuration(flags.timeout, '--timeout');
  return withState(scene, async (state) => {
    const chosen = await chooseProcesses(scene.words, { state, io });
    printMissed(chosen, io);
    if (chosen.missed.length > 0) return exitCodes.failed;

    const left = new Set(chosen.processes);
    const names = () => [...left].map(({ view }) => toProcessName(view)).join(', ');
    const progress = showProgress({ text: () => `Waiting for ${names()}`, io, clock });
    const interruption = watchForInterruption({ timeoutMs, clock });
    const giveUp = new AbortController();
    const wait = async (seen: SeenProcess): Promise<Answer> => {
      const answer = await goal.wait(state, { id: seen.view.id, signal: giveUp.signal });
      left.delete(seen);
      if (!giveUp.signal.aborted) progress.above(() => goal.report(answer));
      return answer;
    };
    try {
      const all = Promise.all(chosen.processes.map(wait));
      // What is given up ends with an error that nobody needs.
      all.catch(() => {});
      const result = await Promise.race([all.then((answers) => ({ answers })), interruption.promise]);
      if ('answers' in result) return goal.toExitCode(result.answers);
      progress.end();
      const isLate = result.interruptedWith === exitCodes.timedOut;
      if (isLate)
        printError(io, `${names()}${goal.late} after ${flags.timeout}; nothing was done about that.`);
      return result.interruptedWith;
    } finally {
      progress.end();
      interruption.cancel();
      giveUp.abort();
    }
  });
}

/** What ended a wait before what was waited for: an exit code. */
export type Interruption = { readonly interruptedWith: number };

/** Resolves at a signal that asks us to end, or when the time is over. */
export function watchForInterruption({
  timeoutMs,
  clock,
}: {
  readonly timeoutMs: number | null;
  readonly clock: Clock;
}) {
  const { promise, resolve } = Promise.withResolvers<Interruption>();
  const removeSignals = onEndSignal((signal) => resolve({ interruptedWith: toSignalCode(signal) }));
  const cancelTimer =
    timeoutMs === null
      ? () => {}
      : clock.at(clock.nowMs() + timeoutMs, () => resolve({ interruptedWith: exitCodes.timedOut }));
  return {
    promise,
    cancel: () => {
      removeSignals();
      cancelTimer();
    },
  };
}

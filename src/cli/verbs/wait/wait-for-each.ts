import type { Clock } from '../../../clock/clock.ts';
import { createRealClock } from '../../../clock/real-clock.ts';
import type { SeenProcess, StateDirectory } from '../../../state-directory/state-directory.ts';
import { printError } from '../../cli-io.ts';
import { onEndSignal } from '../../end-signals.ts';
import { exitCodes, toSignalCode } from '../../exit-codes.ts';
import { chooseProcesses, printMissed } from '../../find-process.ts';
import { parseDuration } from '../../flag-values.ts';
import { toProcessName } from '../../render/process-text.ts';
import { showProgress } from '../../render/progress-line.ts';
import type { StateFlags } from '../../verb.ts';
import { type VerbInput, withState } from '../../with-state.ts';

export interface WaitFlags extends StateFlags {
  readonly timeout?: string;
}

export interface WaitInput extends VerbInput<WaitFlags> {
  /** Ids or labels of the processes. */
  readonly words: readonly string[];
  readonly clock?: Clock;
}

/** Purpose of a wait. */
export interface WaitGoal<Answer> {
  /** Waits for one process. May reject once `signal` is aborted. */
  wait(state: StateDirectory, one: { readonly id: string; readonly signal: AbortSignal }): Promise<Answer>;
  /** Prints the answer of one process as soon as it is known. */
  report(answer: Answer): void;
  /** Returns the exit code for all answers, in the order of the arguments. */
  toExitCode(answers: readonly Answer[]): number;
  /** Predicate after the names of the processes that are still pending at the timeout. */
  readonly late: string;
}

/** Waits for each process until a signal or the timeout, without touching them. @returns the exit code. */
export function waitForEach<Answer>(input: WaitInput, goal: WaitGoal<Answer>): Promise<number> {
  const { flags, io, clock = createRealClock() } = input;
  const timeoutMs =
    flags.timeout === undefined || flags.timeout === 'none'
      ? null
      : parseDuration(flags.timeout, '--timeout');
  return withState(input, async (state) => {
    const chosen = await chooseProcesses(input.words, { state, io });
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
      // After an interruption the abandoned waits reject.
      all.catch(() => {});
      const result = await Promise.race([all.then((answers) => ({ answers })), interruption.promise]);
      if ('answers' in result) return goal.toExitCode(result.answers);
      progress.end();
      const isLate = result.interruptedWith === exitCodes.timedOut;
      if (isLate) printError(io, `${names()}${goal.late} after ${flags.timeout}; nothing was changed.`);
      return result.interruptedWith;
    } finally {
      progress.end();
      interruption.cancel();
      giveUp.abort();
    }
  });
}

/** Early end of a wait, with its exit code. */
type Interruption = { readonly interruptedWith: number };

/** Resolves at a signal that asks this program to end, or at the timeout. */
function watchForInterruption({
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

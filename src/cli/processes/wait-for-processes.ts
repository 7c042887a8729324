import type { Clock } from '../../clock/clock.ts';
import { createRealClock } from '../../clock/real-clock.ts';
import type { SeenProcess } from '../../control/state-directory.ts';
import { describeEnd } from '../../process/end-text.ts';
import type { FinalView } from '../../process/process-view.ts';
import { type CliIo, complain, say } from '../cli-io.ts';
import { exitCodes } from '../exit-code.ts';
import { parseSpan } from '../parse-span.ts';
import { toProcessExitCode } from '../process-exit-code.ts';
import { toPrintable } from '../render/printable.ts';
import { toProcessName } from '../render/process-name.ts';
import { showProgress } from '../render/progress-line.ts';
import { chooseProcesses, complainOfMissed } from '../state/choose-processes.ts';
import type { StateFlags } from '../state/state-flags.ts';
import { type StateScene, withState } from '../state/with-state.ts';
import { watchForInterruption } from '../wait/interruption.ts';

export interface WaitFlags extends StateFlags {
  readonly timeout?: string;
}

/** Waits until processes have ended; they are not touched. @returns the first exit code of theirs that is not 0. */
export function waitForProcesses(
  scene: StateScene<WaitFlags> & { readonly words: readonly string[]; readonly clock?: Clock },
): Promise<number> {
  const { flags, io, clock = createRealClock() } = scene;
  const timeoutMs = flags.timeout === undefined ? null : parseSpan(flags.timeout, '--timeout');
  return withState(scene, async (state) => {
    const chosen = await chooseProcesses(scene.words, { state, io });
    complainOfMissed(chosen, io);
    if (chosen.missed.length > 0) return exitCodes.failed;

    const left = new Set(chosen.processes);
    const giveUp = new AbortController();
    const wait = async (seen: SeenProcess): Promise<FinalView> => {
      const view = await state.wait(seen.view.id, { signal: giveUp.signal });
      left.delete(seen);
      if (!giveUp.signal.aborted) progress.above(() => tellEnd(view, { flags, io }));
      return view;
    };
    const interruption = watchForInterruption({ timeoutMs, clock });
    const names = () => [...left].map(({ view }) => toProcessName(view)).join(', ');
    const progress = showProgress({ text: () => `Waiting for ${names()}`, io, clock });
    try {
      const all = Promise.all(chosen.processes.map(wait));
      const result = await Promise.race([all, interruption.promise]);
      // What is given up ends with an error that nobody needs.
      all.catch(() => {});
      if (!('interruptedWith' in result))
        return result.map(toProcessExitCode).find((code) => code !== 0) ?? 0;
      progress.end();
      if (result.interruptedWith === exitCodes.timedOut) {
        complain(io, `${names()} had not ended after ${flags.timeout}; nothing was done about that.`);
      }
      return result.interruptedWith;
    } finally {
      progress.end();
      interruption.cancel();
      giveUp.abort();
    }
  });
}

function tellEnd(view: FinalView, { flags, io }: { readonly flags: WaitFlags; readonly io: CliIo }): void {
  if (flags.json === true) say(io, JSON.stringify(view));
  else if (flags.quiet !== true) {
    say(io, toPrintable(`${toProcessName(view)} ${describeEnd(view.reason, view.exit)}.`));
  }
}

import { describeEnd } from '../../process/describe-end.ts';
import type { FinalView } from '../../process/process-view.ts';
import { printLines } from '../cli-io.ts';
import { toProcessExitCode } from '../exit-codes.ts';
import { toPrintable } from '../render/printable.ts';
import { toProcessName } from '../render/process-text.ts';
import { type WaitScene, waitForEach } from '../wait/wait-for-each.ts';

/** Waits until processes have ended; they are not touched. @returns the first exit code of theirs that is not 0. */
export function waitForProcesses(scene: WaitScene): Promise<number> {
  return waitForEach(scene, {
    wait: (state, { id, signal }) => state.wait(id, { signal }),
    report: (view) => printEnd(view, scene),
    toExitCode: (views) => views.map(toProcessExitCode).find((code) => code !== 0) ?? 0,
    late: ' had not ended',
  });
}

function printEnd(view: FinalView, { flags, io }: WaitScene): void {
  if (flags.json === true) printLines(io, JSON.stringify(view));
  else if (flags.quiet !== true) {
    printLines(io, toPrintable(`${toProcessName(view)} ${describeEnd(view.reason, view.exit)}.`));
  }
}

import type { Clock } from '../clock/clock.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import { type ChangeSource, withoutBlankEnd } from './change-source.ts';

/** Bounds of the last lines in a notification of silence. */
const SHOWN_LINES = 20;
const SHOWN_BYTES = 4_000;

/** Observes a process without a terminal: every byte is a change. */
export function watchOutput(process: SupervisedProcess, { clock }: { readonly clock: Clock }): ChangeSource {
  const { log } = process.output;
  let changedAtMs = clock.nowMs();
  let seenBytes = log.bytes;
  let onNextChange: (() => void) | null = null;

  const note = () => {
    // The end of the output calls back like a write.
    if (log.bytes === seenBytes) return;
    seenBytes = log.bytes;
    changedAtMs = clock.nowMs();
    const tell = onNextChange;
    onNextChange = null;
    tell?.();
  };
  const stop = log.onWrite(note);

  return {
    get changedAtMs() {
      return changedAtMs;
    },
    beginAnew: () => {
      changedAtMs = clock.nowMs();
    },
    look: (onSeen) => {
      // A log that the process writes itself calls back a little after it grew.
      note();
      const { text } = process.output.read({ tail: SHOWN_LINES, maxBytes: SHOWN_BYTES });
      onSeen(withoutBlankEnd(text.split('\n')));
    },
    awaitChange: (onChange) => {
      onNextChange = onChange;
    },
    stop,
  };
}

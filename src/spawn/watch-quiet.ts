import type { Cancel, Clock } from '../clock/clock.ts';
import type { OutputSink } from '../output/output-sink.ts';

/** Pause before `canReport` is called again. */
const retryMs = 25;

/**
 * Calls back once, when no byte has come for `quietMs`; uses one timer, which is moved while bytes come. A source that is held
 * back is not quiet, because its bytes were only not asked for.
 */
export function watchQuiet(watch: {
  clock: Clock;
  output: OutputSink;
  quietMs: number;
  onQuiet: () => void;
  /** Called repeatedly until it returns true. */
  canReport?: () => boolean;
}): Cancel {
  const { clock, output, quietMs, onQuiet, canReport: mayTell = () => true } = watch;
  const sinceMs = clock.nowMs();
  const quietAtMs = () => Math.max(sinceMs, output.lastWriteAtMs) + quietMs;
  const look = () => {
    if (output.isBackpressured) cancel = clock.at(clock.nowMs() + quietMs, look);
    else if (quietAtMs() <= clock.nowMs()) {
      if (mayTell()) onQuiet();
      else cancel = clock.at(clock.nowMs() + retryMs, look);
    } else cancel = clock.at(quietAtMs(), look);
  };
  let cancel: Cancel = clock.at(quietAtMs(), look);
  return () => cancel();
}

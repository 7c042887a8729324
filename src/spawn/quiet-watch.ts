import type { Cancel, Clock } from '../clock/clock.ts';
import type { OutputSink } from '../output/output-sink.ts';

/**
 * Calls back once, when no byte has come for `quietMs`; one timer, which is put off while bytes come. A source that is held
 * is not quiet: what it has was only not asked for.
 */
export function watchQuiet(watch: {
  clock: Clock;
  output: OutputSink;
  quietMs: number;
  onQuiet: () => void;
}): Cancel {
  const { clock, output, quietMs, onQuiet } = watch;
  const sinceMs = clock.nowMs();
  const quietAtMs = () => Math.max(sinceMs, output.lastWriteAtMs) + quietMs;
  const look = () => {
    if (output.isHeld) cancel = clock.at(clock.nowMs() + quietMs, look);
    else if (quietAtMs() <= clock.nowMs()) onQuiet();
    else cancel = clock.at(quietAtMs(), look);
  };
  let cancel: Cancel = clock.at(quietAtMs(), look);
  return () => cancel();
}

import type { Cancel, Clock } from '../clock/clock.ts';
import type { OutputSink } from '../output/output-sink.ts';

/** How soon it is asked again whether it may be told. */
const retryMs = 25;

/**
 * Calls back once, when no byte has come for `quietMs`; one timer, which is put off while bytes come. A source that is held
 * is not quiet: what it has was only not asked for. Nor is one that may not be told yet.
 */
export function watchQuiet(watch: {
  clock: Clock;
  output: OutputSink;
  quietMs: number;
  onQuiet: () => void;
  /** Asked again and again until it may. */
  canReport?: () => boolean;
}): Cancel {
  const { clock, output, quietMs, onQuiet, canReport: mayTell = () => true } = watch;
  const sinceMs = clock.nowMs();
  const quietAtMs = () => Math.max(sinceMs, output.lastWriteAtMs) + quietMs;
  const look = () => {
    if (output.isHeld) cancel = clock.at(clock.nowMs() + quietMs, look);
    else if (quietAtMs() <= clock.nowMs()) {
      if (mayTell()) onQuiet();
      else cancel = clock.at(clock.nowMs() + retryMs, look);
    } else cancel = clock.at(quietAtMs(), look);
  };
  let cancel: Cancel = clock.at(quietAtMs(), look);
  return () => cancel();
}

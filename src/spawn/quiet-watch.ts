import type { Cancel, Clock } from '../clock/clock.ts';
import type { OutputSink } from '../output/output-sink.ts';

/** Calls back once, when no byte has come for `quietMs`; one timer, which is put off while bytes come. */
export function watchQuiet(watch: {
  clock: Clock;
  output: OutputSink;
  quietMs: number;
  onQuiet: () => void;
}): Cancel {
  const { clock, output, quietMs, onQuiet } = watch;
  const since = clock.nowMs();
  let cancel: Cancel = () => {};
  const wait = () => {
    const quietAtMs = Math.max(since, output.lastWriteAtMs) + quietMs;
    cancel = clock.at(quietAtMs, () => {
      if (Math.max(since, output.lastWriteAtMs) + quietMs <= clock.nowMs()) onQuiet();
      else wait();
    });
  };
  wait();
  return () => cancel();
}

import type { Clock } from '../../../clock/clock.ts';
import type { KillOptions } from '../../../process/process-handle.ts';
import { type CliIo, printNote } from '../../cli-io.ts';
import {
  type EndSignal,
  isSentBySystem,
  keepIgnoringBrokenPipes,
  listEndSignals,
} from '../../end-signals.ts';
import { toSignalCode } from '../../exit-codes.ts';

/** No hint is printed if the command ends sooner. */
const HINT_AFTER_MS = 1_000;

export interface ForwardedSignals {
  /** First signal received. */
  readonly first: EndSignal | null;
  /** Stops forwarding. */
  remove(): void;
}

/**
 * Forwards the first signal that asks this program to end to the command. A second one kills the command at once; a third one ends this
 * program immediately.
 */
export function forwardSignals(
  kill: (options: KillOptions) => void,
  { io, clock }: { readonly io: CliIo; readonly clock: Clock },
): ForwardedSignals {
  keepIgnoringBrokenPipes();
  let first: EndSignal | null = null;
  let count = 0;
  let isOver = false;
  let cancelHint = () => {};

  const listeners = listEndSignals().map((signal) => {
    const listener = (_name: string, number?: number) => {
      // A broken pipe raises SIGPIPE at every write.
      if (isOver || (signal === 'SIGPIPE' && (count > 0 || isSentBySystem(number)))) return;
      count += 1;
      first ??= signal;
      if (count > 2) process.exit(toSignalCode(signal));
      if (count === 2) return kill({ signal: 'SIGKILL', grace: 0 });
      kill({ signal: toForwarded(signal) });
      cancelHint = clock.at(clock.nowMs() + HINT_AFTER_MS, () => {
        if (io.stderr.isTTY)
          printNote(io, `${toForwarded(signal)} forwarded; press Ctrl-C again to kill it at once`);
      });
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return {
    get first() {
      return first;
    },
    remove: () => {
      isOver = true;
      cancelHint();
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}

/** Replaces SIGPIPE, which many programs ignore because it concerns their own output. */
function toForwarded(signal: EndSignal): Exclude<EndSignal, 'SIGPIPE'> {
  return signal === 'SIGPIPE' ? 'SIGTERM' : signal;
}

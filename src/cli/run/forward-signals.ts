import type { ProcessSignal } from '../../../machines/process/context.ts';
import type { Clock } from '../../clock/clock.ts';
import type { KillOptions } from '../../process/process-handle.ts';
import { type CliIo, printNote } from '../cli-io.ts';
import {
  type EndSignal,
  isSentBySystem,
  keepIgnoringBrokenPipes,
  listEndSignals,
  toSignalCode,
} from '../end-signals.ts';

/** A command that ends sooner is not worth a word. */
const WORD_AFTER_MS = 1_000;

export interface ForwardedSignals {
  /** The first one that came. */
  readonly first: EndSignal | null;
  /** Nobody is told any more. */
  remove(): void;
}

/**
 * Passes the first signal that asks this program to end on to the command; a second one kills the command at once, a third one ends
 * this program as it is.
 */
export function forwardSignals(
  kill: (options: KillOptions) => void,
  { io, clock }: { readonly io: CliIo; readonly clock: Clock },
): ForwardedSignals {
  keepIgnoringBrokenPipes();
  let first: EndSignal | null = null;
  let count = 0;
  let isOver = false;
  let cancelWord = () => {};

  const listeners = listEndSignals().map((signal) => {
    const listener = (_name: string, number?: number) => {
      // A broken pipe breaks at each write.
      if (isOver || (signal === 'SIGPIPE' && (count > 0 || isSentBySystem(number)))) return;
      count += 1;
      first ??= signal;
      if (count > 2) process.exit(toSignalCode(signal));
      if (count === 2) return kill({ signal: 'SIGKILL', grace: 0 });
      kill({ signal: toPassedOn(signal) });
      cancelWord = clock.at(clock.nowMs() + WORD_AFTER_MS, () => {
        if (io.stderr.isTTY)
          printNote(io, `${toPassedOn(signal)} was passed on; Ctrl-C again kills it at once`);
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
      cancelWord();
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}

/** Many programs ignore SIGPIPE, because they mean their own output. */
function toPassedOn(signal: EndSignal): ProcessSignal {
  return signal === 'SIGPIPE' ? 'SIGTERM' : signal;
}

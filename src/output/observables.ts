import type { Observable } from 'rxjs';
import type { Clock } from '../clock/clock.ts';
import { followLog } from './follow-log.ts';
import { GuardedObservable } from './guarded-observable.ts';
import { createLineSplitter, type OutputLine } from './lines.ts';
import type { OutputGap, OutputPiece } from './output-chunk.ts';
import type { OutputLog } from './output-log.ts';
import type { OutputStream } from './output-sink.ts';

interface OutputStreamOptions {
  readonly stream?: OutputStream;
  /** Receives what a subscriber threw. */
  readonly onSubscriberError?: (error: unknown) => void;
}

/**
 * Emits the kept output, then new output, synchronously and without a queue; completes when the log is
 * finished. Output that a process wrote into a file itself comes at 1 MiB per turn of the event loop. A
 * subscriber that is slower than the process and queues for itself grows without bound: it should use
 * `iterate`.
 */
export function output$(log: OutputLog, options: OutputStreamOptions = {}): Observable<OutputPiece> {
  return new GuardedObservable<OutputPiece>(
    (subscriber) =>
      followLog(log, {
        ...{ from: log.positionsAt(0), stream: options.stream },
        onPiece: (piece) => subscriber.next(piece),
        onFinished: () => subscriber.complete(),
        isCancelled: () => subscriber.closed,
      }),
    options.onSubscriberError ?? (() => {}),
  );
}

/** Emits output by lines, each when it is complete; a gap stands for missing lines. */
export function lines$(
  log: OutputLog,
  options: OutputStreamOptions & { readonly clock: Pick<Clock, 'nowMs' | 'epochMs'> },
): Observable<OutputLine | OutputGap> {
  return new GuardedObservable<OutputLine | OutputGap>(
    (subscriber) => {
      const splitter = createLineSplitter(options.clock);
      const emit = (lines: readonly OutputLine[]): void => {
        for (const line of lines) subscriber.next(line);
      };
      return output$(log, options).subscribe({
        next: (piece) => {
          if (piece.type === 'chunk') return emit(splitter.push(piece));
          emit(splitter.breakAt(piece));
          subscriber.next(piece);
        },
        complete: () => {
          emit(splitter.flush());
          subscriber.complete();
        },
      });
    },
    options.onSubscriberError ?? (() => {}),
  );
}

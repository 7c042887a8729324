import type { Observable } from 'rxjs';
import { followLog } from './follow-log.ts';
import { GuardedObservable } from './guarded-observable.ts';
import { createLineSplitter, type OutputLine } from './lines.ts';
import type { OutputGap, OutputPiece } from './output-chunk.ts';
import type { OutputLog } from './output-log.ts';
import type { OutputStream } from './output-sink.ts';

interface OutputStreamOptions {
  readonly stream?: OutputStream;
  /** What a subscriber threw. */
  readonly onSubscriberError?: (error: unknown) => void;
}

/**
 * What is kept, then what comes, at once and without a queue; completes once, when the log is finished. What a process has written
 * into a file itself comes a MiB in each turn of the event loop, and it completes after the last one. A subscriber that is
 * slower than the process and queues for itself grows without bound: it should `iterate`.
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

/** The same by lines, each when it is complete; a gap stands where lines are missing. */
export function lines$(
  log: OutputLog,
  options: OutputStreamOptions = {},
): Observable<OutputLine | OutputGap> {
  return new GuardedObservable<OutputLine | OutputGap>(
    (subscriber) => {
      const splitter = createLineSplitter();
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

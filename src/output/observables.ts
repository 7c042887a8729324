import type { Observable, Subscriber } from 'rxjs';
import { GuardedObservable } from './guarded-observable.ts';
import { createLineSplitter, type OutputLine } from './lines.ts';
import { type OutputGap, type OutputPiece, positionAfter } from './output-chunk.ts';
import type { OutputLog } from './output-log.ts';
import type { OutputStream } from './output-sink.ts';

export interface OutputStreamOptions {
  readonly stream?: OutputStream;
  /** What a subscriber threw. */
  readonly onSubscriberError?: (error: unknown) => void;
}

/**
 * What is kept, then what comes, at once and without a queue; completes once, when the log is finished. A subscriber that is
 * slower than the process and queues for itself grows without bound: it should `iterate`.
 */
export function output$(log: OutputLog, options: OutputStreamOptions = {}): Observable<OutputPiece> {
  return new GuardedObservable<OutputPiece>(
    (subscriber) => follow(log, options.stream, subscriber),
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

function follow(
  log: OutputLog,
  stream: OutputStream | undefined,
  subscriber: Subscriber<OutputPiece>,
): () => void {
  const positions = { ...log.positionsAt(0) };
  let isEmitting = false;

  /** A subscriber that causes a write is given it by the loop that is already running, in order. */
  function emit(): void {
    if (isEmitting) return;
    isEmitting = true;
    try {
      while (emitKept()) if (subscriber.closed) return;
    } finally {
      isEmitting = false;
    }
    if (log.finished) subscriber.complete();
  }

  function emitKept(): boolean {
    let hasEmitted = false;
    for (const piece of log.chunks(positions, stream)) {
      positions[piece.stream] = positionAfter(piece);
      hasEmitted = true;
      subscriber.next(piece);
      if (subscriber.closed) break;
    }
    return hasEmitted;
  }

  const cancel = log.onWrite(emit);
  emit();
  return cancel;
}

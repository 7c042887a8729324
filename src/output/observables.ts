import type { Observable, Subscriber } from 'rxjs';
import { GuardedObservable } from './guarded-observable.ts';
import { createLineSplitter, type OutputLine } from './lines.ts';
import { type OutputGap, type OutputPiece, outputStreams, positionAfter } from './output-chunk.ts';
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

/**
 * What is kept from an offset on (0 by default), then what comes, until the log is finished; whoever pulls sets the pace.
 * Nothing is queued: what was dropped while the consumer was busy is a gap with the exact count.
 */
export async function* iterate(
  log: OutputLog,
  options: { from?: number; stream?: OutputStream } = {},
): AsyncGenerator<OutputPiece, void> {
  const streams = options.stream === undefined ? outputStreams : [options.stream];
  const positions = { ...log.positionsAt(options.from ?? 0) };
  while (true) {
    const { finished } = log;
    for (const piece of log.chunks(positions, options.stream)) {
      positions[piece.stream] = positionAfter(piece);
      yield piece;
      // While the consumer was busy, what came next may have been dropped: look again.
      break;
    }
    const isBehind = streams.some((stream) => positions[stream] < log.positions[stream]);
    if (isBehind) continue;
    if (finished) return;
    await nextWrite(log);
  }
}

function nextWrite(log: OutputLog): Promise<void> {
  return new Promise((resolve) => {
    if (log.finished) return resolve();
    const cancel = log.onWrite(() => {
      cancel();
      resolve();
    });
  });
}

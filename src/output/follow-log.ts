import type { Cancel } from '../clock/clock.ts';
import { mostBytesATurn, mostFailuresAtEnd } from './disk-reading.ts';
import { type OutputGap, type OutputPiece, positionAfter, type StreamPositions } from './output-chunk.ts';
import type { OutputLog } from './output-log.ts';
import type { OutputStream } from './output-sink.ts';

/**
 * What is kept from `from` on, then what comes, each byte once and in order: at once where it is in memory, of a file a MiB in each
 * turn of the event loop. Where reading fails it tries again, and goes on where it was. Ends when the log is finished or it is cancelled.
 */
export function followLog(
  log: OutputLog,
  follower: {
    readonly from: StreamPositions;
    readonly stream?: OutputStream | undefined;
    onPiece(piece: OutputPiece): void;
    onFinished?(): void;
    /** For who can leave before there is anything to cancel. */
    isCancelled?(): boolean;
  },
): Cancel {
  const positions = { ...follower.from };
  let isOver = false;
  let isWalking = false;
  let cancelPause: Cancel | null = null;
  let failures = 0;

  /** A follower that causes a write is given it by the walk that is already running, in order. */
  function walk(): void {
    if (isOver || isWalking || cancelPause !== null) return;
    isWalking = true;
    try {
      walkOn();
    } finally {
      isWalking = false;
    }
  }

  function walkOn(): void {
    let room = log.onDisk === null ? Number.POSITIVE_INFINITY : mostBytesATurn;
    let { finished } = log;
    for (let hasMore = true; hasMore; ) {
      hasMore = false;
      for (const piece of log.chunks(positions, follower.stream)) {
        hasMore = true;
        failures = 0;
        give(piece);
        if (isOver) return;
        room -= piece.type === 'chunk' ? piece.bytes.byteLength : 0;
        if (room <= 0) return pause(nextTurn);
      }
      hasMore ||= finished !== log.finished;
      ({ finished } = log);
    }
    const { onDisk } = log;
    if (onDisk !== null && onDisk.readTrouble !== null && isBehind()) {
      failures += 1;
      if (!finished || failures < mostFailuresAtEnd) return pause((go) => onDisk.tryLater(go));
      give(toMissing(onDisk.stream, { from: positions, to: log.positions }));
    }
    if (finished && !isOver) end();
  }

  function isBehind(): boolean {
    const stream = log.onDisk?.stream ?? 'stdout';
    return (follower.stream ?? stream) === stream && positions[stream] < log.positions[stream];
  }

  function give(piece: OutputPiece): void {
    positions[piece.stream] = positionAfter(piece);
    follower.onPiece(piece);
    if (follower.isCancelled?.() === true) isOver = true;
  }

  function pause(until: (go: () => void) => Cancel): void {
    cancelPause = until(() => {
      cancelPause = null;
      walk();
    });
  }

  function end(): void {
    cancel();
    follower.onFinished?.();
  }

  function cancel(): void {
    isOver = true;
    cancelPause?.();
    cancelWrites();
  }

  const cancelWrites = log.onWrite(walk);
  walk();
  return cancel;
}

/** Calls back in the next turn of the event loop. */
export function nextTurn(callback: () => void): Cancel {
  const immediate = setImmediate(callback);
  return () => clearImmediate(immediate);
}

/** What could not be read of a log that is in a file, where all is one stream. */
export function toMissing(
  stream: OutputStream,
  { from, to }: { from: StreamPositions; to: StreamPositions },
): OutputGap {
  const position = from[stream];
  return {
    type: 'gap',
    stream,
    from: position,
    to: to[stream],
    position,
    droppedBytes: to[stream] - position,
  };
}

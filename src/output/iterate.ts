import type { Cancel } from '../clock/clock.ts';
import { mostBytesATurn, mostFailuresAtEnd } from './disk-reading.ts';
import { nextTurn, toMissing } from './follow-log.ts';
import { type OutputPiece, outputStreams, positionAfter, type StreamPositions } from './output-chunk.ts';
import type { OutputLog } from './output-log.ts';
import type { OutputStream } from './output-sink.ts';

/**
 * What is kept from an offset on (0 by default), then what comes, until the log is finished; the caller sets the pace. Nothing is
 * queued: what memory has dropped while the caller was busy is read from the log file; a gap with the exact count stands for what the
 * file does not have either. Ends as well when `signal` is aborted.
 */
export async function* iterate(
  log: OutputLog,
  options: { from?: number; stream?: OutputStream; signal?: AbortSignal } = {},
): AsyncGenerator<OutputPiece, void> {
  const { signal } = options;
  const streams = options.stream === undefined ? outputStreams : [options.stream];
  const positions = { ...log.positionsAt(options.from ?? 0) };
  let room = mostBytesATurn;
  let failures = 0;
  while (signal?.aborted !== true) {
    const { finished } = log;
    // While the consumer was busy, what came next may have been dropped: look again for each piece.
    const [kept] = log.chunks(positions, options.stream);
    const piece = kept === undefined ? undefined : await orFromFile(kept, log, { positions, ...options });
    if (piece !== undefined) {
      failures = 0;
      positions[piece.stream] = positionAfter(piece);
      yield piece;
      if (log.onDisk === null) continue;
      // A consumer that never waits would leave no turn to anybody else.
      room -= piece.type === 'chunk' ? piece.bytes.byteLength : 0;
      if (room > 0) continue;
      room = mostBytesATurn;
      await until(nextTurn, signal);
      continue;
    }
    const { onDisk } = log;
    const isBehind = streams.some((stream) => positions[stream] < log.positions[stream]);
    if (isBehind && onDisk !== null && onDisk.readTrouble !== null) {
      failures += 1;
      if (finished && failures >= mostFailuresAtEnd) {
        const missing = toMissing(onDisk.stream, { from: positions, to: log.positions });
        positions[onDisk.stream] = positionAfter(missing);
        yield missing;
      } else await until((go) => onDisk.tryLater(go), signal);
      continue;
    }
    // It came in just now.
    if (isBehind) await until(nextTurn, signal);
    else if (finished) return;
    else if (!log.finished) await until((go) => log.onWrite(go), signal);
  }
}

/** The piece, or what comes before it and is in the log file only. */
async function orFromFile(
  piece: OutputPiece,
  log: OutputLog,
  { positions, stream }: { positions: StreamPositions; stream?: OutputStream },
): Promise<OutputPiece> {
  if (log.keptBytes === log.bytes) return piece;
  const before = piece.type === 'gap' ? Number.POSITIVE_INFINITY : piece.offset;
  return (await log.readBack(positions, { before, stream })) ?? piece;
}

function until(wait: (go: () => void) => Cancel, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const leave = () => {
      cancel();
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    const cancel = wait(leave);
    signal?.addEventListener('abort', leave);
  });
}

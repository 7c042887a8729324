import type { Cancel } from '../clock/clock.ts';
import { mostBytesATurn, mostFailuresAtEnd } from './disk-reading.ts';
import { nextTurn, toMissing } from './follow-log.ts';
import { type OutputPiece, outputStreams, positionAfter } from './output-chunk.ts';
import type { OutputLog } from './output-log.ts';
import type { OutputStream } from './output-sink.ts';

/**
 * What is kept from an offset on (0 by default), then what comes, until the log is finished; whoever pulls sets the pace.
 * Nothing is queued: what was dropped while the consumer was busy is a gap with the exact count. Ends as well when `signal` is aborted.
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
    const [piece] = log.chunks(positions, options.stream);
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

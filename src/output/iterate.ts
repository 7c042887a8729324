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
  while (signal?.aborted !== true) {
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
    await nextWrite(log, signal);
  }
}

function nextWrite(log: OutputLog, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (log.finished) return resolve();
    const leave = () => {
      cancel();
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    const cancel = log.onWrite(leave);
    signal?.addEventListener('abort', leave);
  });
}

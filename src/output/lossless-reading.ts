import { TroupeError } from '../config/troupe-error.ts';
import { type IterationOptions, iterateLog } from './follow-log.ts';
import { createLineSplitter, type OutputLine } from './lines.ts';
import type { OutputChunk, OutputGap } from './output-chunk.ts';
import { type OutputHold, toStreams } from './output-holds.ts';
import type { OutputLog } from './output-log.ts';

/**
 * Iterates over the output, each byte once. From this call on nothing that the reader has not taken is dropped.
 * The iteration rejects with `output-lost` where output is gone already.
 */
export function iterateChunks(
  log: OutputLog,
  options: IterationOptions = {},
): AsyncGenerator<OutputChunk, void> {
  return iterateHeld(log, { options, toItems: (chunks) => chunks });
}

/** Iterates over the output by line, without loss, each line once it is complete. */
export function iterateLines(
  log: OutputLog,
  { clock, ...options }: IterationOptions & { readonly clock: Parameters<typeof createLineSplitter>[0] },
): AsyncGenerator<OutputLine, void> {
  return iterateHeld(log, {
    options,
    toItems: async function* (chunks) {
      const splitter = createLineSplitter(clock);
      for await (const chunk of chunks) yield* splitter.push(chunk);
      yield* splitter.flush();
    },
  });
}

/** Creates a stream of the bytes of the output, without loss. Each chunk belongs to the caller. */
export function toWebStream(
  log: OutputLog,
  options: IterationOptions = {},
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = iterateChunks(log, options);
  return new ReadableStream(
    {
      pull: async (controller) => {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(new Uint8Array(value.bytes));
      },
      cancel: async () => void (await chunks.return()),
    },
    // Nothing is taken before the consumer asks.
    { highWaterMark: 0 },
  );
}

/** Iterates like a generator whose `return` ends a wait for output, too. */
function iterateHeld<Item>(
  log: OutputLog,
  {
    options: { from = 0, stream, signal },
    toItems,
  }: {
    options: IterationOptions;
    toItems: (chunks: AsyncGenerator<OutputChunk, void>) => AsyncGenerator<Item, void>;
  },
): AsyncGenerator<Item, void> {
  const leaving = new AbortController();
  const hold = log.hold({ offset: from, positions: log.positionsAt(from), streams: toStreams(stream) });
  const leave = () => {
    leaving.abort();
    hold.release();
    signal?.removeEventListener('abort', leave);
  };
  if (signal?.aborted === true) leave();
  else signal?.addEventListener('abort', leave);
  const reading = { from, stream, signal: leaving.signal };
  const items = toItems(readChunks(log, { reading, hold }));
  return {
    next: async () => {
      try {
        const result = await items.next();
        if (result.done === true) leave();
        return result;
      } catch (error) {
        leave();
        throw error;
      }
    },
    return: async () => {
      leave();
      return await items.return();
    },
    throw: async (error) => {
      leave();
      return await items.throw(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    [Symbol.asyncDispose]: async () => {
      leave();
      await items.return();
    },
  };
}

async function* readChunks(
  log: OutputLog,
  { reading, hold }: { reading: IterationOptions; hold: OutputHold },
): AsyncGenerator<OutputChunk, void> {
  for await (const piece of iterateLog(log, reading)) {
    if (piece.type === 'gap') throw toLostError(piece, log);
    hold.move(piece);
    yield piece;
  }
}

function toLostError({ stream, droppedBytes, position }: OutputGap, log: OutputLog): TroupeError {
  const degraded = log.stats().degraded;
  const cause =
    degraded === null ? 'they were dropped before this reader began' : `${degraded.what}: ${degraded.error}`;
  const message = `${droppedBytes} bytes of ${stream} from byte ${position} on are lost (${cause}). Read with \`from\`, start reading sooner, or raise maxBufferBytes or maxLogBytes.`;
  return new TroupeError({ code: 'output-lost', message });
}

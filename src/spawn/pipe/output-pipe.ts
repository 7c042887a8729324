import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { OutputSink, OutputStream } from '../../output/output-sink.ts';
import type { Fifo } from './fifo-pool.ts';

/** Output pipe of a child, created before its start. */
export interface OutputPipe {
  /** Value for the stdio option of `spawn`. */
  readonly stdio: 'pipe' | number;
  /**
   * Returns our end. Must be called once, after `spawn`, whether it worked or not. `own` is what `spawn` made for `'pipe'`;
   * `null` where it made nothing.
   */
  open(own: Readable | null): Readable | null;
}

/** Creates a real pipe from a FIFO, and without one the pair of sockets that Node makes. */
export function createOutputPipe(fifo: Fifo | null): OutputPipe {
  if (fifo === null) return { stdio: 'pipe', open: (own) => own };
  return {
    stdio: fifo.writeFd,
    open: () => {
      // The end of file comes when the last writer closes, and this program was one.
      closeSync(fifo.writeFd);
      const source = new Socket({ fd: fifo.readFd, readable: true, writable: false });
      let hasEnded = false;
      source.once('end', () => {
        hasEnded = true;
      });
      source.once('close', () => {
        // Without an end of file a writer may be left, whose output must not reach the next reader.
        if (hasEnded) fifo.release();
      });
      return source;
    },
  };
}

/** Our ends of the two pipes. */
export type OutputSources = Readonly<Record<'stdout' | 'stderr', Readable>>;

/** Pipes both outputs into the sink as they fill, and calls `onEnded` once after both have ended. */
export function pipeOutput(
  pipes: OutputSources,
  { sink, onEnded }: { sink: OutputSink; onEnded: () => void },
): void {
  const sources = Object.entries(pipes) as [OutputStream, Readable][];
  let open = sources.length;

  const holdAll = () => {
    for (const [, source] of sources) source.pause();
    sink.whenWritable(() => {
      for (const [, source] of sources) source.resume();
    });
  };

  for (const [stream, source] of sources) {
    source.on('data', (bytes: Buffer) => {
      if (!sink.write(stream, bytes)) holdAll();
    });
    // A broken pipe has ended; everything in it was read.
    source.on('error', () => {});
    source.on('close', () => {
      open -= 1;
      if (open === 0) onEnded();
    });
  }
}

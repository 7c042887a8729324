import type { Readable } from 'node:stream';
import type { OutputSink, OutputStream } from '../../output/output-sink.ts';

/** Our ends of the two pipes. */
export type OutputSources = Readonly<Record<'stdout' | 'stderr', Readable>>;

/** Pours two pipes into the sink as they fill, and says once that both have ended. */
export function pourOutput(
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
    // A pipe that breaks has ended; what it had was read.
    source.on('error', () => {});
    source.on('close', () => {
      open -= 1;
      if (open === 0) onEnded();
    });
  }
}

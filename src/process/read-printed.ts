import { outputStreams } from '../output/output-chunk.ts';
import type { OutputLog } from '../output/output-log.ts';
import { type ReadOptions, readOutput } from '../output/read-output.ts';
import type { PrintedText } from './result-envelope.ts';

/** Reads what a process printed as its result shows it: each text cut to `maxBytes`, head and tail. */
export function readPrinted(log: OutputLog, maxBytes: number): PrintedText {
  const read = (stream: NonNullable<ReadOptions['stream']>) =>
    readOutput(log, { stream, format: 'raw', maxBytes });
  const [stdout, stderr] = [read('stdout'), read('stderr')];
  const used = outputStreams.filter((stream) => log.positions[stream] > 0);
  const all = used.length === 1 && used[0] === 'stdout' ? stdout : read('both');
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    output: all.text,
    truncated: [stdout, stderr, all].some(({ truncated, droppedBytes }) => truncated || droppedBytes > 0),
    droppedBytes: all.droppedBytes,
  };
}

import type { OutputLog } from '../output/output-log.ts';
import { readOutput } from '../output/read-output.ts';
import type { PrintedText } from './result-envelope.ts';

/** What a process printed, as its result shows it: cut to `maxBytes` each, head and tail. */
export function readPrinted(log: OutputLog, maxBytes: number): PrintedText {
  const stdout = readOutput(log, { stream: 'stdout', format: 'raw', maxBytes });
  const stderr = readOutput(log, { stream: 'stderr', format: 'raw', maxBytes });
  const isWhole = stdout.droppedBytes === 0 && !stdout.truncated;
  return { stdout: stdout.text, stderr: stderr.text, whole: isWhole };
}

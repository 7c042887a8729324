import type { OutputRead, ReadOptions } from '../output/read-output.ts';
import type { PrintedText } from './result-envelope.ts';

/** Reads what a process printed as its result shows it: each text with head and tail where it is too long for one read. */
export async function readPrinted(
  read: (options: ReadOptions) => OutputRead | Promise<OutputRead>,
): Promise<PrintedText> {
  const all = await read({ format: 'raw' });
  const { stdout: fromStdout, stderr: fromStderr, screen: fromScreen } = all.positions;
  const readOne = (stream: 'stdout' | 'stderr', isAll: boolean) =>
    isAll ? all : read({ stream, format: 'raw' });
  // Most commands use one stream, and a flood of it is costly to read twice.
  const stdout = await readOne('stdout', fromStderr === 0 && fromScreen === 0);
  const stderr = await readOne('stderr', fromStdout === 0 && fromScreen === 0 && fromStderr > 0);
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    output: all.text,
    truncated: [stdout, stderr, all].some(({ truncated, droppedBytes }) => truncated || droppedBytes > 0),
    droppedBytes: all.omittedBytes,
  };
}

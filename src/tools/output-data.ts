import { z } from 'zod';
import type { OutputRead } from '../output/read-output.ts';
import type { ProcessOutput } from './actions/read-output.ts';
import { signalName } from './run-data.ts';

/** What `toOutputData` gives. */
export const outputData = z.looseObject({
  process_id: z.string(),
  status: z.string(),
  exit_code: z.int().nullable().optional(),
  signal: signalName.nullable().optional(),
  output: z.string().describe('stdout and stderr in order of arrival, unless one of them was asked for'),
  truncated: z.boolean().optional().describe('output is not all that was asked for'),
  dropped_bytes: z.int().optional().describe('how many bytes are missing in output'),
  more: z.boolean().optional().describe('there was more behind it'),
});

/** What was read of an output, and how its process was then. */
export function toOutputData({ view, read, hasMore }: ProcessOutput) {
  return {
    process_id: view.id,
    status: view.status,
    ...('exit' in view && { exit_code: view.exit?.code ?? null, signal: view.exit?.signal ?? null }),
    ...toReadData(read),
    ...(hasMore && { more: true }),
  };
}

/** What was read of an output, and whether something is missing in it. */
export function toReadData(read: OutputRead) {
  return { output: read.text, ...toMissingData(read) };
}

/** Empty where nothing is missing. */
export function toMissingData(read: OutputRead) {
  return {
    ...(read.truncated && { truncated: true }),
    ...(read.omittedBytes > 0 && { dropped_bytes: read.omittedBytes }),
  };
}

import type { ProcessOutput } from './actions/read-output.ts';

/** What was read of an output, and how its process was then. */
export function toOutputData({ view, read, hasMore }: ProcessOutput) {
  return {
    process_id: view.id,
    status: view.status,
    ...('exit' in view && { exit_code: view.exit?.code ?? null, signal: view.exit?.signal ?? null }),
    output: read.text,
    ...(hasMore && { more: true }),
    ...(read.truncated && { truncated: true }),
    ...(read.droppedBytes > 0 && { dropped_bytes: read.droppedBytes }),
  };
}

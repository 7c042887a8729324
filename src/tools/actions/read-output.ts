import { outputStreams } from '../../output/output-chunk.ts';
import type { OutputRead, ReadOptions } from '../../output/read-output.ts';
import type { ProcessHandle } from '../../process/process-handle.ts';
import type { ProcessView } from '../../process/process-view.ts';
import { findProcess } from '../find-process.ts';
import { toRevealed } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';
import type { Outcome } from './outcome.ts';

/** Number of lines read by default. */
const DEFAULT_TAIL = 100;

interface ReadRequest {
  readonly id: string;
  readonly tail?: number | undefined;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly stream?: 'stdout' | 'stderr' | 'both' | undefined;
  readonly grep?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
  /** Number of lines around each match. */
  readonly context?: number | undefined;
  /** Reads only output since this owner's last read. */
  readonly sinceLastRead?: boolean | undefined;
  /** See `ReadOptions.maxBytes`. */
  readonly maxBytes?: number | undefined;
}

/** View taken before the read: if it shows the end, the output is complete. */
export interface ProcessOutput {
  readonly view: ProcessView;
  readonly read: OutputRead;
  /** `true` if more output followed at the time of the read. */
  readonly hasMore: boolean;
}

/**
 * Reads for the owner. Once the answer is recorded, the owner's next read continues after it; a search moves that
 * position only when it covers output since the last read.
 */
export function readProcessOutput(request: ReadRequest, context: ToolContext): Outcome<ProcessOutput> {
  const found = findProcess(request.id, context);
  if ('ok' in found) return found;
  const view = found.view();
  const reader = found.reader(context.owner);
  const read = found.read(
    { ...toReadOptions(request), ...(request.sinceLastRead === true && { since: reader.positions }) },
    'agent',
  );
  if (read.problem !== null) return { ok: false, error: `Nothing was read: ${read.problem}.` };
  const passesOver = request.grep !== undefined && request.sinceLastRead !== true;
  return {
    ok: true,
    value: { view, read, hasMore: !reachesEnd(found, { read, stream: request.stream }) },
    reveals: toRevealed(view),
    ...(!passesOver && { onRecorded: () => reader.acknowledge(read) }),
  };
}

function reachesEnd(
  handle: ProcessHandle,
  { read, stream = 'both' }: { read: OutputRead; stream: ReadRequest['stream'] },
): boolean {
  const { positions } = handle.read({ tail: 0 });
  const streams = stream === 'both' ? outputStreams : [stream];
  return streams.every((each) => read.positions[each] >= positions[each]);
}

function toReadOptions(request: ReadRequest): ReadOptions {
  const { tail, offset, limit, stream, grep, ignoreCase, context, maxBytes } = request;
  const isBounded = offset !== undefined || limit !== undefined || request.sinceLastRead === true;
  const lines = tail ?? (isBounded ? undefined : DEFAULT_TAIL);
  return {
    ...(lines !== undefined && { tail: lines }),
    ...(offset !== undefined && { offset }),
    ...(limit !== undefined && { limit }),
    ...(stream !== undefined && { stream }),
    ...(grep !== undefined && { grep }),
    ...(ignoreCase !== undefined && { ignoreCase }),
    ...(context !== undefined && { context }),
    ...(maxBytes !== undefined && { maxBytes }),
  };
}

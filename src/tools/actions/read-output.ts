import { outputStreams } from '../../output/output-chunk.ts';
import type { OutputRead, ReadOptions } from '../../output/read-output.ts';
import type { ProcessHandle } from '../../process/process-handle.ts';
import type { ProcessView } from '../../process/process-view.ts';
import { findProcess } from '../find-process.ts';
import { toRevealed } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';
import type { Outcome } from './outcome.ts';

/** How many lines an agent gets that does not say. */
const DEFAULT_TAIL = 100;

interface ReadRequest {
  readonly id: string;
  readonly tail?: number | undefined;
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
  readonly stream?: 'stdout' | 'stderr' | 'both' | undefined;
  readonly grep?: string | undefined;
  readonly ignoreCase?: boolean | undefined;
  /** Lines around each match. */
  readonly context?: number | undefined;
  /** Only what came since this owner's last read. */
  readonly sinceLastRead?: boolean | undefined;
}

/** The process as it was before the read: where that is its end, the output is all there is. */
export interface ProcessOutput {
  readonly view: ProcessView;
  readonly read: OutputRead;
  /** There was more behind it already. */
  readonly hasMore: boolean;
}

/**
 * Reads for the owner. Once the answer is recorded its next read goes on behind this one; a search moves that place only
 * where it was made since the last read.
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
  const { tail, offset, limit, stream, grep, ignoreCase, context } = request;
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
  };
}

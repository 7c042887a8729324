import type { WaitOptions } from '../../config/wait-options.ts';
import { waitFor as awaitProcess } from '../../observe/wait-for.ts';
import type { OutputRead } from '../../output/output-read.ts';
import type { ProcessHandle } from '../../process/process-handle.ts';
import type { Waited } from '../../process/waited.ts';
import { findProcess } from '../find-process.ts';
import { toRevealed } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';
import type { Outcome } from './outcome.ts';

/** Maximum unread output shown. */
const MAX_SHOWN_BYTES = 4_000;

type WaitRequest = Omit<WaitOptions, 'from' | 'signal' | 'clock'> & {
  readonly id: string;
  /** Position where the search begins. `unread`: after this owner's last read. */
  readonly from: 'unread' | 'now' | 'start';
};

export interface WaitedFor extends Waited {
  /** Output that the agent had not read yet. */
  readonly read: OutputRead;
}

/**
 * Waits for conditions of one process without polling. Changes nothing: the process continues however the wait ends.
 */
export async function waitFor(request: WaitRequest, context: ToolContext): Promise<Outcome<WaitedFor>> {
  const { id, from, ...wanted } = request;
  const { clock, interrupt } = context;
  const handle = findProcess(id, context);
  if ('ok' in handle) return handle;
  const reader = handle.reader(context.owner);
  const start = from === 'unread' ? reader.positions : from;
  const waited = await awaitProcess(handle, { ...wanted, from: start, clock, signal: interrupt });
  const read = readNew(handle, reader.positions);
  return {
    ok: true,
    value: { ...waited, read },
    reveals: toRevealed(waited.process),
    ...(!read.truncated && { onRecorded: () => reader.acknowledge(read) }),
  };
}

function readNew(handle: ProcessHandle, since: OutputRead['positions']): OutputRead {
  return handle.read({ since, maxBytes: MAX_SHOWN_BYTES }, 'agent');
}

import { pause } from '../clock/pause.ts';
import { streamControl } from '../control/control-client.ts';
import { isCode, type Peer } from '../control/protocol.ts';
import { type FollowedText, toFollowedText } from '../output/followed-text.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import { type DirectoryDeps, findEnd, type ProcessLocation } from './directory-deps.ts';
import { openRecordedLog } from './recorded-log.ts';

/** Interval for detecting an unreported end, or adoption by another supervisor. */
const LOOK_MS = 100;

interface Follow {
  readonly id: string;
  readonly from: number;
  readonly signal: AbortSignal | undefined;
}

/** Follows the output from an offset until the end of the process, across supervisors. */
export async function* followProcess(
  deps: DirectoryDeps,
  { id, from, signal }: Follow,
): AsyncGenerator<FollowedText, void> {
  let offset = from;
  while (true) {
    const found = await deps.find(id);
    const pieces =
      found.type === 'supervised'
        ? followPeer(deps, { id, from: offset, signal, peer: found.peer })
        : followLog(deps, { id, from: offset, signal, record: found.record });
    for await (const piece of pieces) {
      yield piece;
      offset = piece.offset + piece.bytes.byteLength;
    }
    if (await hasEnded(deps, id)) return;
    await pause(deps.clock, { ms: LOOK_MS, signal });
  }
}

/** Looks up the process: a supervisor that shuts down also ends the streams of processes that keep running. */
async function hasEnded(deps: DirectoryDeps, id: string): Promise<boolean> {
  let found: ProcessLocation;
  try {
    found = await deps.find(id);
  } catch (error) {
    // Removed right after its end.
    if (isCode(error, 'not-found')) return true;
    throw error;
  }
  if (found.type === 'recorded') return (await findEnd(deps, found)) !== null;
  try {
    const { view } = await deps.peers.ask(found.peer, { method: 'show', params: { id } });
    return 'endedAt' in view;
  } catch (error) {
    if (await deps.hasPeerEnded(error, found.peer)) return false;
    if (isCode(error, 'not-found')) return true;
    throw error;
  }
}

/** Follows a supervisor's stream; ends with the supervisor as well. */
async function* followPeer(
  deps: DirectoryDeps,
  { peer, id, from, signal }: Follow & { peer: Peer },
): AsyncGenerator<FollowedText, void> {
  try {
    const items = streamControl(peer.socket, { method: 'follow', params: { id, from }, signal });
    for await (const { bytes, ...place } of items) yield { ...place, bytes: Buffer.from(bytes, 'base64') };
  } catch (error) {
    if (!(await deps.hasPeerEnded(error, peer))) throw error;
  }
}

/** Follows the log file; ends with the process, or when a supervisor can be asked again. */
async function* followLog(
  deps: DirectoryDeps,
  { id, from, signal, record }: Follow & { record: ProcessRecord },
): AsyncGenerator<FollowedText, void> {
  const log = await openRecordedLog(deps, { record, isOver: false });
  if (log === null) return;
  const { iterateLog } = await import('../output/follow-log.ts');
  const over = new AbortController();
  const both = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
  const looking = untilTold(deps, { id, signal: both }).then(
    // The file is complete; deliver the rest before the end.
    (who) => (who === 'ended' ? log.finish() : over.abort()),
    () => over.abort(),
  );
  try {
    for await (const piece of iterateLog(log, { from, signal: both })) yield toFollowedText(piece);
    signal?.throwIfAborted();
  } finally {
    over.abort();
    await looking;
    await log.close();
  }
}

async function untilTold(
  deps: DirectoryDeps,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<'ended' | 'supervised'> {
  while (true) {
    const found = await deps.find(id);
    if (found.type === 'supervised') return 'supervised';
    if ((await findEnd(deps, found)) !== null) return 'ended';
    await pause(deps.clock, { ms: LOOK_MS, signal });
  }
}

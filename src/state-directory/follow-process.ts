import { pause } from '../clock/pause.ts';
import { streamControl } from '../control/control-client.ts';
import { isCode, type Peer } from '../control/protocol.ts';
import type { OutputPiece } from '../output/output-chunk.ts';
import type { OutputLog } from '../output/output-log.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import type { DirectoryGround, Whereabouts } from './directory-deps.ts';
import type { FollowedText } from './state-directory.ts';
import { findEnd } from './wait-process.ts';

/** How soon the end of a process is seen that nobody tells, and another supervisor that has taken it over. */
const LOOK_MS = 100;

interface Follow {
  readonly id: string;
  readonly from: number;
  readonly signal: AbortSignal | undefined;
}

/** The output from an offset on until the end of the process, whoever supervises it meanwhile. */
export async function* followProcess(
  ground: DirectoryGround,
  { id, from, signal }: Follow,
): AsyncGenerator<FollowedText, void> {
  let offset = from;
  while (true) {
    const found = await ground.find(id);
    const pieces =
      found.type === 'supervised'
        ? followPeer(ground, { id, from: offset, signal, peer: found.peer })
        : followLog(ground, { id, from: offset, signal, record: found.record });
    for await (const piece of pieces) {
      yield piece;
      offset = piece.offset + piece.bytes.byteLength;
    }
    if (await hasEnded(ground, id)) return;
    await pause(ground.clock, { ms: LOOK_MS, signal });
  }
}

/** A supervisor that shuts down ends the stream of what it leaves running, too. */
async function hasEnded(ground: DirectoryGround, id: string): Promise<boolean> {
  let found: Whereabouts;
  try {
    found = await ground.find(id);
  } catch (error) {
    // Forgotten right after its end.
    if (isCode(error, 'not-found')) return true;
    throw error;
  }
  if (found.type === 'recorded') return (await findEnd(ground, found)) !== null;
  try {
    const { view } = await ground.peers.ask(found.peer, { method: 'show', params: { id } });
    return 'endedAt' in view;
  } catch (error) {
    if (await ground.isByEnd(error, found.peer)) return false;
    if (isCode(error, 'not-found')) return true;
    throw error;
  }
}

/** Ends as well when the supervisor does. */
async function* followPeer(
  ground: DirectoryGround,
  { peer, id, from, signal }: Follow & { peer: Peer },
): AsyncGenerator<FollowedText, void> {
  try {
    const items = streamControl(peer.socket, { method: 'follow', params: { id, from }, signal });
    for await (const { bytes, ...place } of items) yield { ...place, bytes: Buffer.from(bytes, 'base64') };
  } catch (error) {
    if (!(await ground.isByEnd(error, peer))) throw error;
  }
}

/** Ends with the process, or when somebody can be asked again. */
async function* followLog(
  ground: DirectoryGround,
  { id, from, signal, record }: Follow & { record: ProcessRecord },
): AsyncGenerator<FollowedText, void> {
  const log = await openRecordedLog(ground, { record, isOver: false });
  if (log === null) return;
  const { iterateLog } = await import('../output/follow-log.ts');
  const over = new AbortController();
  const both = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
  const looking = untilTold(ground, { id, signal: both }).then(
    // What is in the file by now is all, and is given before the end.
    (who) => (who === 'ended' ? log.finish() : over.abort()),
    () => over.abort(),
  );
  try {
    yield* toTexts(iterateLog(log, { from, signal: both }));
    signal?.throwIfAborted();
  } finally {
    over.abort();
    await looking;
    await log.close();
  }
}

async function untilTold(
  ground: DirectoryGround,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<'ended' | 'supervised'> {
  while (true) {
    const found = await ground.find(id);
    if (found.type === 'supervised') return 'supervised';
    if ((await findEnd(ground, found)) !== null) return 'ended';
    await pause(ground.clock, { ms: LOOK_MS, signal });
  }
}

async function* toTexts(pieces: AsyncIterable<OutputPiece>): AsyncGenerator<FollowedText, void> {
  for await (const piece of pieces) {
    const { stream } = piece;
    if (piece.type === 'chunk') yield { stream, bytes: piece.bytes, offset: piece.offset, droppedBytes: 0 };
    else yield { stream, bytes: new Uint8Array(), offset: piece.to, droppedBytes: piece.droppedBytes };
  }
}

/** The log of a process that nobody supervises; `null` where none was kept. It is read and never changed. */
export async function openRecordedLog(
  { paths, clock }: DirectoryGround,
  { record, isOver }: { record: ProcessRecord; isOver: boolean },
): Promise<OutputLog | null> {
  const { view, revival } = record;
  if (view.output.logFile === null && revival === null) return null;
  const { createTailedLog } = await import('../output/tailed-log.ts');
  return createTailedLog({
    clock,
    path: paths.logOf(view.id),
    statusPath: paths.statusOf(view.id),
    // The cap is for who supervises it.
    maxBytes: null,
    isOver,
    stream: view.terminal?.type === 'terminal' ? 'screen' : 'stdout',
  });
}

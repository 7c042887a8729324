import { pause } from '../clock/pause.ts';
import { LONG } from '../control/protocol.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import type { FinalView } from '../process/process-view.ts';
import type { SupervisorState } from '../store/supervisor-registry.ts';
import type { DirectoryGround, Recorded, Whereabouts } from './directory-deps.ts';

/** How soon an end is seen that nobody tells. */
const LOOK_MS = 100;

/** Waits for the end of a process, whoever supervises it by then. */
export async function waitProcess(
  ground: DirectoryGround,
  { id, signal }: { id: string; signal: AbortSignal | undefined },
): Promise<FinalView> {
  while (true) {
    signal?.throwIfAborted();
    const found = await ground.find(id);
    // What is to be started again does not come to its end by itself.
    if (found.type === 'recorded' && mayRestart(found) && (await ground.revive(found))) continue;
    const end = await (found.type === 'supervised'
      ? askForEnd(ground, { id, found, signal })
      : findEnd(ground, found));
    if (end !== null) return end;
    await pause(ground.clock, { ms: LOOK_MS, signal });
  }
}

function mayRestart({ record }: Recorded): boolean {
  return record.revival !== null && record.revival.restart.policy !== 'temporary';
}

/** `null` when the supervisor ended first. */
async function askForEnd(
  ground: DirectoryGround,
  call: {
    id: string;
    found: Extract<Whereabouts, { type: 'supervised' }>;
    signal: AbortSignal | undefined;
  },
): Promise<FinalView | null> {
  const { id, found, signal } = call;
  try {
    return await ground.peers.ask(found.peer, { method: 'wait', params: { id } }, { ...LONG, signal });
  } catch (error) {
    if (await ground.isByEnd(error, found.peer)) return null;
    throw error;
  }
}

/** The end as it is written down, or as far as it can be proven where nobody was there to write it down. */
export async function findEnd(
  ground: DirectoryGround,
  { record, state }: { record: ProcessRecord; state: SupervisorState },
): Promise<FinalView | null> {
  if ('endedAt' in record.view) return record.view;
  if (state !== 'dead') return null;
  const standing = await ground.judge(record);
  return standing.type === 'ended' ? standing.view : null;
}

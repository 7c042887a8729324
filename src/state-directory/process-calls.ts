import type { WriteResult } from '../../machines/process/events.ts';
import { pause } from '../clock/pause.ts';
import { LONG, MAX_PIECE_BYTES, QUICK } from '../control/protocol.ts';
import {
  type AskSupervisor,
  type DirectoryDeps,
  type Recorded,
  refuseInput,
  refuseSignal,
  refuseUnlessEnded,
  toPlain,
  unreachableError,
} from './directory-deps.ts';
import type { StateDirectory } from './state-directory.ts';

type ProcessCalls = Pick<
  StateDirectory,
  'kill' | 'write' | 'endInput' | 'signal' | 'pause' | 'resume' | 'restart' | 'background' | 'changeLimits'
>;

/** Creates the calls of a state directory that act on a process. */
export function createProcessCalls(deps: DirectoryDeps, ask: AskSupervisor): ProcessCalls {
  const input = { options: LONG, revives: true, orElse: (it: Recorded) => refuseInput(deps, it) };
  const signal = { options: LONG, revives: true, orElse: (it: Recorded) => refuseSignal(deps, it) };
  const change = { options: QUICK, revives: true, orElse: (it: Recorded) => refuseUnlessEnded(deps, it) };
  return {
    kill: async (id, killOptions = {}) => {
      while (true) {
        const killed = await ask(
          { id, method: 'kill', params: { id, options: toPlain(killOptions) } },
          { options: LONG, orElse: (it) => kill(deps, { it, killOptions }) },
        );
        if (killed !== null) return killed;
      }
    },
    write: async (id, data) => {
      let bytesWritten = 0;
      // In pieces that fit into a request each; at least one, so that an empty write still reports a missing process.
      for (let at = 0; at === 0 || at < data.byteLength; at += MAX_PIECE_BYTES) {
        const piece = Buffer.from(data.subarray(at, at + MAX_PIECE_BYTES)).toString('base64');
        const result: WriteResult = await ask({ id, method: 'write', params: { id, data: piece } }, input);
        bytesWritten += result.bytesWritten;
        if (!result.ok) return { ...result, bytesWritten };
      }
      return { ok: true, bytesWritten };
    },
    endInput: (id) => ask({ id, method: 'endInput', params: { id } }, input),
    signal: (id, options) => ask({ id, method: 'signal', params: { id, options: toPlain(options) } }, signal),
    pause: (id) => ask({ id, method: 'pause', params: { id } }, signal),
    resume: (id) => ask({ id, method: 'resume', params: { id } }, signal),
    restart: (id) => ask({ id, method: 'restart', params: { id } }, change),
    background: (id) => ask({ id, method: 'background', params: { id } }, change),
    changeLimits: (id, changes) => ask({ id, method: 'changeLimits', params: { id, changes } }, change),
  };
}

/** Time that a supervisor may take to open its control socket. */
const OPENING_MS = 2_000;
const LOOK_MS = 20;

/** Returns `true`, after a pause, for a supervisor that was created a moment ago: it may have adopted the process for another kill. */
async function mayListenSoon({ clock, registry }: DirectoryDeps, { record }: Recorded): Promise<boolean> {
  const found = registry.list().find(({ entry }) => entry.id === record.supervisorId);
  if (found?.state !== 'alive' || clock.epochMs() - found.entry.since > OPENING_MS) return false;
  await pause(clock, { ms: LOOK_MS });
  return true;
}

async function kill(
  deps: DirectoryDeps,
  { it, killOptions }: { it: Recorded; killOptions: Parameters<StateDirectory['kill']>[1] & {} },
) {
  const { view } = it.record;
  if (it.state !== 'dead') {
    if (await mayListenSoon(deps, it)) return null;
    // Only the live supervisor may touch the leftovers of the process.
    if (!('endedAt' in view) || view.leftovers.length > 0) throw unreachableError(it);
    const { toNotRunning } = await import('../process/kill-process.ts');
    return toNotRunning(view, deps.clock.epochMs());
  }
  const { killOrphan } = await import('./kill-orphan.ts');
  return killOrphan(deps, { record: it.record, options: killOptions });
}

import type { WriteResult } from '../../machines/process/events.ts';
import type { Clock } from '../clock/clock.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { OutputRead } from '../output/read-output.ts';
import type { CallOptions } from './control-client.ts';
import { createDirectoryGround, type DirectoryGround, type Whereabouts } from './directory-ground.ts';
import { listDirectory } from './list-directory.ts';
import { type ControlMethod, type ControlParams, type ControlResults, MAX_PIECE_BYTES } from './protocol.ts';
import type { StateDirectory } from './state-directory.ts';
import { findEnd } from './wait-process.ts';

/** What is answered at once. */
const QUICK: CallOptions = { deadlineMs: 5_000 };
/** A process is given 10 s to read what is written to it. */
const WRITE: CallOptions = { deadlineMs: 15_000 };
/** A kill takes as long as the grace allows; a supervisor that is halted would take for ever. */
const LONG: CallOptions = { pulseMs: 3_000 };

type Recorded = Extract<Whereabouts, { type: 'recorded' }>;

/** The processes of a state directory as they are seen and steered from outside. Nothing is read before the first call. */
export function openStateDirectory(options: {
  readonly directory: string;
  readonly clock?: Clock;
}): StateDirectory {
  const ground = createDirectoryGround(options);
  const { peers, paths } = ground;

  /** Asks its supervisor; where there is none, or it ends meanwhile, `orElse` is told of the record. */
  const ask = async <M extends Exclude<ControlMethod, 'follow' | 'cancel'>, Other>(
    call: { id: string; method: M; params: ControlParams<M> },
    { options, orElse }: { options?: CallOptions; orElse: (recorded: Recorded) => Promise<Other> },
  ): Promise<ControlResults[M] | Other> => {
    while (true) {
      const found = await ground.find(call.id);
      if (found.type === 'recorded') return orElse(found);
      try {
        return await peers.ask(found.peer, call, options);
      } catch (error) {
        if (!(await ground.isByEnd(error, found.peer))) throw error;
      }
    }
  };

  const show: StateDirectory['show'] = async (id) => {
    const found = await ground.find(id);
    const shown = await ask(
      { id, method: 'show', params: { id } },
      { options: QUICK, orElse: async (it) => it },
    );
    if ('timeline' in shown) {
      return { ...shown, supervisorId: found.type === 'supervised' ? found.peer.id : '', answered: true };
    }
    const { record, state } = shown;
    const view = state === 'dead' ? (await ground.judge(record)).view : record.view;
    return { view, timeline: record.timeline, supervisorId: record.supervisorId, answered: false };
  };

  const write: StateDirectory['write'] = async (id, data) => {
    let bytesWritten = 0;
    // At least one, so that who writes nothing to nobody hears of it.
    for (let at = 0; at === 0 || at < data.byteLength; at += MAX_PIECE_BYTES) {
      const piece = Buffer.from(data.subarray(at, at + MAX_PIECE_BYTES)).toString('base64');
      const call = { id, method: 'write', params: { id, data: piece } } as const;
      const result = await ask(call, { options: WRITE, orElse: (it) => refuseInput(ground, it) });
      bytesWritten += result.bytesWritten;
      if (!result.ok) return { ...result, bytesWritten };
    }
    return { ok: true, bytesWritten };
  };

  return {
    path: paths.directory,
    list: (listOptions) => listDirectory(ground, listOptions),
    show,
    read: (id, readOptions = {}) =>
      ask(
        { id, method: 'read', params: { id, options: toPlain(readOptions) } },
        { options: QUICK, orElse: (it) => readRecorded(ground, { it, readOptions }) },
      ),
    follow: async function* (id, { from, signal }) {
      const { followProcess } = await import('./follow-process.ts');
      yield* followProcess(ground, { id, from, signal });
    },
    wait: async (id, { signal } = {}) => {
      const { waitProcess } = await import('./wait-process.ts');
      return waitProcess(ground, { id, signal });
    },
    kill: async (id, killOptions = {}) => {
      while (true) {
        const killed = await ask(
          { id, method: 'kill', params: { id, options: toPlain(killOptions) } },
          { options: LONG, orElse: (it) => kill(ground, { it, killOptions }) },
        );
        if (killed !== null) return killed;
      }
    },
    write,
    endInput: (id) =>
      ask(
        { id, method: 'endInput', params: { id } },
        { options: WRITE, orElse: (it) => refuseInput(ground, it) },
      ),
    restart: (id) =>
      ask(
        { id, method: 'restart', params: { id } },
        { options: QUICK, orElse: (it) => refuseUnlessEnded(ground, it) },
      ),
    changeLimits: (id, changes) =>
      ask(
        { id, method: 'changeLimits', params: { id, changes } },
        { options: QUICK, orElse: (it) => refuseUnlessEnded(ground, it) },
      ),
    sweep: async ({ all = false, dryRun = false } = {}) => {
      const { sweepDirectory } = await import('./sweep-directory.ts');
      return sweepDirectory(ground, { all, dryRun });
    },
    close: () => peers.close(),
  };
}

/** What is `undefined` is not there in JSON. */
function toPlain<T>(options: T): never {
  return options as never;
}

async function kill(
  ground: DirectoryGround,
  { it, killOptions }: { it: Recorded; killOptions: Parameters<StateDirectory['kill']>[1] & {} },
) {
  const { view } = it.record;
  const { id } = view;
  if (it.state !== 'dead') {
    // Its supervisor is alive, and nobody else may touch what lives of it.
    if (!('endedAt' in view) || view.leftovers.length > 0) throw unattended(it);
    const { describeEnd } = await import('../process/end-text.ts');
    const message = `Process ${id} is not running: it ${describeEnd(view.reason, view.exit)} (status ${view.status}).`;
    return { type: 'notRunning', message } as const;
  }
  const { killRecorded } = await import('./kill-recorded.ts');
  return killRecorded(ground, { id, options: killOptions });
}

async function readRecorded(
  ground: DirectoryGround,
  { it, readOptions }: { it: Recorded; readOptions: Parameters<StateDirectory['read']>[1] & {} },
): Promise<OutputRead> {
  const { record } = it;
  const isOver = (await findEnd(ground, it)) !== null;
  const { openRecordedLog } = await import('./follow-process.ts');
  const log = await openRecordedLog(ground, { record, isOver });
  if (log === null) return noLog();
  try {
    const { readOutput } = await import('../output/read-output.ts');
    return readOutput(log, readOptions);
  } finally {
    await log.close();
  }
}

function noLog(): OutputRead {
  return {
    text: '',
    from: 0,
    to: 0,
    droppedBytes: 0,
    truncated: false,
    ended: true,
    problem: 'its output was kept in memory only, and went with its supervisor',
    positions: { stdout: 0, stderr: 0, screen: 0 },
  };
}

async function refuseInput(ground: DirectoryGround, it: Recorded): Promise<WriteResult> {
  const { id } = it.record.view;
  const isOver = (await findEnd(ground, it)) !== null;
  if (!isOver && it.state !== 'dead') throw unattended(it);
  return {
    ok: false,
    bytesWritten: 0,
    code: isOver ? 'notRunning' : 'closed',
    error: isOver
      ? `Process ${id} is not running.`
      : `The input of process ${id} is closed: it ended with the supervisor that had started it.`,
  };
}

/** One that has ended cannot be changed, and that is an answer. */
async function refuseUnlessEnded(ground: DirectoryGround, it: Recorded): Promise<boolean> {
  if ((await findEnd(ground, it)) !== null) return false;
  throw unattended(it);
}

function unattended({ record, state }: Recorded): TroupeError {
  const { id } = record.view;
  const why = {
    alive: `its supervisor ${record.supervisorId} listens on no control socket (its option "control" is false, or it has just begun): use its own program`,
    elsewhere: `its supervisor ${record.supervisorId} is where this program cannot look, perhaps in a container: go there`,
    dead: 'nobody supervises it now: start `troupe serve`, which takes it over, and try again',
  }[state];
  return new TroupeError({ code: 'unreachable', message: `Process ${id} cannot be reached: ${why}.` });
}

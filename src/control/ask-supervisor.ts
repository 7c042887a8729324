import type { WriteResult } from '../../machines/process/events.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { CallOptions } from './control-connection.ts';
import type { DirectoryGround, Whereabouts } from './directory-ground.ts';
import type { AskMethod, ControlParams, ControlResults } from './protocol.ts';
import { findEnd } from './wait-process.ts';

/** A process that nobody can be asked about. */
export type Recorded = Extract<Whereabouts, { type: 'recorded' }>;

/** Asks the supervisor of a process; where there is none, or it ends meanwhile, `orElse` is told of the record. */
export type AskSupervisor = <M extends AskMethod, Other>(
  call: { readonly id: string; readonly method: M; readonly params: ControlParams<M> },
  how: { readonly options?: CallOptions; readonly orElse: (recorded: Recorded) => Promise<Other> },
) => Promise<ControlResults[M] | Other>;

export { LONG, QUICK } from './call-patience.ts';

export function createAsk(ground: DirectoryGround): AskSupervisor {
  return async (call, { options, orElse }) => {
    while (true) {
      const found = await ground.find(call.id);
      if (found.type === 'recorded') return orElse(found);
      try {
        return await ground.peers.ask(found.peer, call, options);
      } catch (error) {
        if (!(await ground.isByEnd(error, found.peer))) throw error;
      }
    }
  };
}

/** @throws TroupeError `unreachable` for one that lives and has its supervisor where it cannot be asked. */
export async function refuseInput(ground: DirectoryGround, it: Recorded): Promise<WriteResult> {
  const { id } = it.record.view;
  const isOver = (await findEnd(ground, it)) !== null;
  if (!isOver && (it.state !== 'dead' || it.record.view.terminal?.type === 'terminal')) throw unattended(it);
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
export async function refuseUnlessEnded(ground: DirectoryGround, it: Recorded): Promise<boolean> {
  if ((await findEnd(ground, it)) !== null) return false;
  throw unattended(it);
}

export function unattended({ record, state }: Recorded): TroupeError {
  const { id } = record.view;
  const why = {
    alive: `its supervisor ${record.supervisorId} listens on no control socket (its option "control" is false, or it has just begun): use its own program`,
    elsewhere: `its supervisor ${record.supervisorId} is where this program cannot look, perhaps in a container: go there`,
    dead: 'nobody supervises it now: start `troupe serve`, which takes it over, and try again',
  }[state];
  return new TroupeError({ code: 'unreachable', message: `Process ${id} cannot be reached: ${why}.` });
}

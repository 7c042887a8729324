import type { WriteResult } from '../../machines/process/events.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import {
  type AskMethod,
  type CallOptions,
  type ControlParams,
  type ControlResults,
  SHELL_OWNER,
} from '../control/protocol.ts';
import { type DirectoryDeps, findEnd, type Recorded } from './directory-deps.ts';

/**
 * Asks the supervisor of a process. Where there is none, or it ends meanwhile, `orElse` receives the record. With
 * `revives` a missing daemon is started first, because only a supervisor can do what is asked.
 */
export type AskSupervisor = <M extends AskMethod, Other>(
  call: { readonly id: string; readonly method: M; readonly params: ControlParams<M> },
  how: {
    readonly options?: CallOptions;
    readonly revives?: boolean;
    readonly orElse: (recorded: Recorded) => Promise<Other>;
  },
) => Promise<ControlResults[M] | Other>;

export function createAsk(deps: DirectoryDeps): AskSupervisor {
  return async (call, { options, revives = false, orElse }) => {
    while (true) {
      const found = await deps.find(call.id);
      if (found.type === 'recorded') {
        if (revives && (await deps.revive(found))) continue;
        return orElse(found);
      }
      try {
        return await deps.peers.ask(found.peer, call, options);
      } catch (error) {
        if (!(await deps.hasPeerEnded(error, found.peer))) throw error;
      }
    }
  };
}

/** @throws TroupeError `unreachable` for a live process whose supervisor cannot be asked. */
export async function refuseInput(deps: DirectoryDeps, it: Recorded): Promise<WriteResult> {
  const { id } = it.record.view;
  const isOver = (await findEnd(deps, it)) !== null;
  if (!isOver && (it.state !== 'dead' || it.record.view.terminal?.type === 'terminal'))
    throw unreachableError(it);
  return {
    ok: false,
    bytesWritten: 0,
    code: isOver ? 'notRunning' : 'closed',
    error: isOver
      ? `Process ${id} is not running.`
      : `The input of process ${id} is closed: it ended with the supervisor that started it.`,
  };
}

/**
 * Returns `false` for an ended process, which cannot be changed.
 *
 * @throws TroupeError `unreachable` otherwise.
 */
export async function refuseUnlessEnded(deps: DirectoryDeps, it: Recorded): Promise<boolean> {
  if ((await findEnd(deps, it)) !== null) return false;
  throw unreachableError(it);
}

export function unreachableError({ record, state }: Recorded): TroupeError {
  const { id, owner } = record.view;
  const heir =
    owner === SHELL_OWNER
      ? 'start `troupe serve`, which takes it over, and try again'
      : `the next program of its owner ${quote(owner)} with this state directory takes it over`;
  const why = {
    alive: `its supervisor ${record.supervisorId} listens on no control socket (its option "control" is false, or it has just begun): use its own program`,
    elsewhere: `its supervisor ${record.supervisorId} is out of reach of this program, perhaps in a container: go there`,
    dead: `it has no supervisor now: ${heir}`,
  }[state];
  return new TroupeError({ code: 'unreachable', message: `Process ${id} cannot be reached: ${why}.` });
}

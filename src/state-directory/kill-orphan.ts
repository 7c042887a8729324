import { parseOptions } from '../config/parse-options.ts';
import { killOptions } from '../config/process-order-options.ts';
import { readRemoteVariables, SERVERS_VARIABLE } from '../config/remote-options.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { openReachableSupervisor } from '../control/reachable-supervisor.ts';
import { toNotRunning } from '../process/kill-process.ts';
import type { KillAnswer, KillOptions } from '../process/process-handle.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import type { DirectoryDeps } from './directory-deps.ts';

/**
 * Kills a process whose supervisor is gone: a supervisor that lives for this call adopts it, and the process is killed as always. Returns `null`
 * if another supervisor has adopted the process meanwhile; the caller must then ask that one.
 *
 * @throws TroupeError `invalid-option`; `unreachable` for a process in a scope this program cannot inspect.
 */
export async function killOrphan(
  deps: DirectoryDeps,
  { record, options }: { readonly record: ProcessRecord; readonly options: KillOptions },
): Promise<KillAnswer | null> {
  // Checked before the adoption: at its shutdown the supervisor ends a process that no kill was ordered for.
  parseOptions(killOptions, { input: options, name: 'kill' });
  const { id } = record.view;
  const { clock, paths } = deps;
  const { type, view } = await deps.resolveStatus(record);
  if (type === 'elsewhere') throw elsewhere(record);
  if (type === 'ended' && view.leftovers.length === 0) return toNotRunning(view, clock.epochMs());
  const supervisor = openReachableSupervisor(
    {
      stateDirectory: paths.directory,
      clock,
      recover: false,
      handleSignals: false,
      ...readRemoteVariables(),
    },
    { ask: null, adoptsToStop: id },
  );
  try {
    const handle = supervisor.get(id);
    if (handle === undefined && view.mode === 'remote') throw withoutServers(record);
    return (await handle?.kill(options)) ?? null;
  } finally {
    await supervisor.shutdown();
  }
}

function withoutServers({ view }: ProcessRecord): TroupeError {
  const message = `Process ${view.id} runs on another host (${view.host}), and its servers are not known here: set ${SERVERS_VARIABLE}.`;
  return new TroupeError({ code: 'unreachable', message });
}

function elsewhere({ view, supervisorId }: ProcessRecord): TroupeError {
  const message = `Process ${view.id} of supervisor ${supervisorId} is out of reach of this program, perhaps in a container: kill it from there.`;
  return new TroupeError({ code: 'unreachable', message });
}

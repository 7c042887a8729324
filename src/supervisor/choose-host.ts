import { isAbsolute } from 'node:path';
import type { CommandSettings, ParsedSpec } from '../config/process-spec.ts';
import { SERVERS_VARIABLE } from '../config/remote-options.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { SupervisorDeps } from './supervisor-deps.ts';

/**
 * Returns the pool that runs a command, such as `pool:gpu`; `null` for this machine, where functions always run.
 *
 * @throws TroupeError `invalid-option` for a command that cannot run on another host.
 */
export function chooseHost(spec: ParsedSpec, { settings, remote }: SupervisorDeps): string | null {
  if ('run' in spec) return null;
  const pool = settings.remote?.pool;
  const host = spec.host ?? (pool === undefined ? 'local' : `pool:${pool}`);
  if (host === 'local') return null;
  if (remote === null) {
    throw refuse(
      host,
      `the supervisor has no option "remote". Give it one ({ servers: "nats://…" }); on the command line, set ${SERVERS_VARIABLE}.`,
    );
  }
  const obstacle = findObstacle(spec);
  if (obstacle !== null) throw refuse(host, obstacle);
  return host;
}

function findObstacle({ secrets, cwdFile, ready, lifetime }: CommandSettings): string | null {
  if (Object.keys(secrets).length > 0)
    return '"secrets" would wait in a queue. Give them to the worker: "troupe worker --env NAME" passes variables to its commands.';
  if (cwdFile !== undefined) return '"cwdFile" would be a file of another machine. Leave it out.';
  if (ready?.port !== undefined)
    return '"ready.port" looks at this machine. Use "ready.line" or "ready.http".';
  if (ready?.file !== undefined)
    return '"ready.file" looks at this machine. Use "ready.line" or "ready.http".';
  if (lifetime === 'parent') return '"lifetime": "parent" is of this program. Use "session" or "persistent".';
  return null;
}

function refuse(host: string, why: string): TroupeError {
  return new TroupeError({ code: 'invalid-option', message: `start: "host" is "${host}"; ${why}` });
}

/** Returns the directory of a command on another host: without one, that of its worker. */
export function toRemoteDirectory({ cwd = '.' }: Pick<CommandSettings, 'cwd'>): string {
  return isAbsolute(cwd) ? cwd : `./${cwd}`.replace(/^\.\/\.$/, '.');
}

import { z } from 'zod';
import type { Duration } from '../config/duration.ts';
import { duration } from '../config/duration.ts';
import { hostName, type RemoteOptions, remoteServers } from '../config/remote-options.ts';
import { supervisorOptions } from '../config/supervisor-options.ts';

/** Options of `openWorker`. Only `servers` is required. */
export interface WorkerOptions extends Pick<RemoteOptions, 'servers' | 'credentials' | 'tls' | 'replicas'> {
  /** Pools whose commands it takes. Default `default`. */
  readonly pools?: readonly string[] | undefined;
  /** Number of processes that it runs at once. Default 100. */
  readonly capacity?: number | undefined;
  /** Name among the workers: letters, digits, `_` and `-`. Default: the name of the machine. */
  readonly name?: string | undefined;
  /** Directory of commands that name none, and of relative ones. Default: the working directory of this program. */
  readonly cwd?: string | undefined;
  /** Variables added to the environment of every command. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Names of this program's variables that no command inherits; globs that replace the default. Variables in `env` are passed anyway.
   * Default `*_API_KEY`, `*_APIKEY`, `*_ACCESS_KEY`, `*_SECRET_KEY`, `*_PRIVATE_KEY`, `*_TOKEN`, `*_SECRET`, `*_authToken`.
   */
  readonly redactNames?: readonly string[] | undefined;
  /**
   * Time without servers after which it kills its processes, which their askers have called lost. Longer than every planned outage of the
   * servers; 4 s or less ends processes before they are called lost, and also in each short outage. 0: never. Default 1 min.
   */
  readonly isolation?: Duration | undefined;
  /** Gives each command a cgroup of its own; see `SupervisorOptions.cgroups`. Default `true`. */
  readonly cgroups?: boolean | undefined;
  /** Receives faults that end nothing, such as a record that the servers refuse. Default: warnings of Node. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const { cwd, env, redactNames, cgroups } = supervisorOptions.shape;

/** Schema of `WorkerOptions`. */
export const workerOptions = z.strictObject({
  ...remoteServers,
  pools: z.array(hostName).min(1).default(['default']),
  capacity: z.int().min(1).default(100),
  name: hostName.optional(),
  ...{ cwd, env, redactNames, cgroups },
  isolation: duration.default(60_000),
  onError: z
    .custom<(error: unknown) => void>((value) => typeof value === 'function', 'a function')
    .optional(),
});

import { type RemoteOptions, readRemoteVariables, SERVERS_VARIABLE } from '../config/remote-options.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { CliIo } from './cli-io.ts';

/** Returns the servers of a flag, else those of the variables, with the identity that the variables give. @throws TroupeError `invalid-option` */
export function readServers(flag: string | undefined, { env }: Pick<CliIo, 'env'>): RemoteOptions {
  const { remote } = readRemoteVariables(flag === undefined ? env : { ...env, [SERVERS_VARIABLE]: flag });
  if (remote !== undefined) return remote;
  const message = `No servers are known: give --servers, or set ${SERVERS_VARIABLE}, to addresses such as nats://127.0.0.1:4222. For a first try: troupe worker --dev`;
  throw new TroupeError({ code: 'invalid-option', message });
}

import { z } from 'zod';

/** Servers of other hosts, and the identity of this program there. Only `servers` is required. */
export interface RemoteOptions {
  /**
   * Addresses of NATS servers with JetStream, version 2.12 or newer, such as `nats://gpu-1:4222`; one that answers is enough. User and
   * password may be in the address.
   */
  readonly servers: string | readonly string[];
  /** Pool of the commands whose start names no `host`. Default: they run on this machine. */
  readonly pool?: string | undefined;
  /**
   * Name under which the orders, records and logs of this program are kept, by which the servers can restrict it: letters, digits, `_` and
   * `-`. Programs that adopt each other's processes need the same one. Default: the first part of the owner of a process.
   */
  readonly tenant?: string | undefined;
  /** File with the credentials of a NATS user, such as `nsc` writes. Default: none. */
  readonly credentials?: string | undefined;
  /** Certificates for TLS, as paths of PEM files. Default: TLS as the servers demand, with the certificates of the system. */
  readonly tls?:
    | {
        readonly ca?: string | undefined;
        readonly cert?: string | undefined;
        readonly key?: string | undefined;
      }
    | undefined;
  /** Copies of orders, records and logs when this program creates their streams. Default 3 in a cluster, else 1. */
  readonly replicas?: number | undefined;
}

/** Name of a pool, a tenant or a worker: one token of a NATS subject. */
export const hostName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: () => '1 to 64 letters, digits, "_" and "-"' });

/** Returns a text as one token of a NATS subject. */
export function toHostName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
}

/** Schema of `RemoteOptions`, without the identity of an asker. */
export const remoteServers = {
  servers: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)], {
      error: () => 'the address of a NATS server ("nats://127.0.0.1:4222"), or a list of them',
    })
    .transform((servers) => (typeof servers === 'string' ? servers.split(',') : servers)),
  credentials: z.string().min(1).optional(),
  tls: z
    .strictObject({
      ca: z.string().min(1).optional(),
      cert: z.string().min(1).optional(),
      key: z.string().min(1).optional(),
    })
    .optional(),
  replicas: z.int().min(1).max(5).optional(),
};

/** Schema of `RemoteOptions`. */
export const remoteOptions = z.strictObject({
  ...remoteServers,
  pool: hostName.optional(),
  tenant: hostName.optional(),
});

/** `RemoteOptions`, checked. */
export type RemoteSettings = z.output<typeof remoteOptions>;

/** The settings of a connection, which askers and workers share. */
export type ServerSettings = Pick<RemoteSettings, keyof typeof remoteServers>;

/** Schema of `CommandSpec.host`. */
export const host = z.union([z.literal('local'), z.templateLiteral(['pool:', hostName])], {
  error: () => '"local" or a pool ("pool:gpu")',
});

/** Variable with the addresses of NATS servers, for the command line. */
export const SERVERS_VARIABLE = 'TROUPE_SERVERS';

/** Returns the option `remote` as variables give it: `TROUPE_SERVERS`, and `TROUPE_TENANT`, `TROUPE_CREDENTIALS` and `TROUPE_TLS_…`. Without servers none. */
export function readRemoteVariables(env: NodeJS.ProcessEnv = process.env): {
  readonly remote?: RemoteOptions;
} {
  // Empty is as good as unset, as in a shell.
  const read = (name: string) => env[name] || undefined;
  const servers = read(SERVERS_VARIABLE);
  if (servers === undefined) return {};
  const [ca, cert, key] = ['TROUPE_TLS_CA', 'TROUPE_TLS_CERT', 'TROUPE_TLS_KEY'].map(read);
  return {
    remote: {
      servers,
      tenant: read('TROUPE_TENANT'),
      credentials: read('TROUPE_CREDENTIALS'),
      ...((ca ?? cert ?? key) !== undefined && { tls: { ca, cert, key } }),
    },
  };
}

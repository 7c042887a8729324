import { readFileSync } from 'node:fs';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node';
import type { Cancel } from '../../clock/clock.ts';
import { toErrorText } from '../../config/error-text.ts';
import { loadInstalled } from '../../config/installed-package.ts';
import type { ServerSettings } from '../../config/remote-options.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { importedApi, streams } from './protocol.ts';

/** The clients of NATS, loaded when the first connection is opened. */
interface Clients {
  readonly transport: typeof import('@nats-io/transport-node');
  readonly jetstream: typeof import('@nats-io/jetstream');
  readonly kv: typeof import('@nats-io/kv');
}

/** A connection to the servers, with the streams and buckets of troupe. */
export interface Servers {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly attempts: KV;
  readonly peers: KV;
  readonly clients: Clients;
  /** Calls back after each reconnection, until it is cancelled. Messages of the meantime were missed. */
  onReconnect(callback: () => void): Cancel;
  /** Closes the connection, with what was sent delivered if the servers can be reached. */
  close(): Promise<void>;
}

/** Older servers silently ignore the lifetime of single keys. */
export const OLDEST_SERVER = [2, 12] as const;
/** A request that was sent into a dying connection is never answered: the shorter, the sooner it is repeated. */
const REQUEST_MS = 2_000;
const CONNECT_MS = 5_000;
/** A new cluster elects leaders for some seconds. */
const LAYOUT_MS = 30_000;
const HOUR_NS = 3_600e9;
/** Time that output and the states of ended attempts are kept. */
export const KEPT_HOURS = 24;
const PEER_TTL_NS = 60e9;
/** The oldest output is dropped beyond this, of one attempt and of all. */
const MAX_ENTRIES_OF_ONE = 16_384;
const MAX_LOG_BYTES = 8 * 2 ** 30;
const MAX_WAITING_STARTS = 200_000;

/** Opens a connection and creates what is missing of streams and buckets. @throws TroupeError `unreachable` */
export async function openServers(
  settings: ServerSettings,
  { name, inboxPrefix }: { readonly name: string; readonly inboxPrefix: string },
): Promise<Servers> {
  const { connection, clients } = await openConnection(settings, { name, inboxPrefix });
  try {
    checkVersion(connection);
    const replicas = settings.replicas ?? toUsualReplicas(connection);
    const layout = await ensureLayout({ connection, clients, replicas });
    const callbacks = new Set<() => void>();
    void watchStatus(connection, callbacks);
    return {
      ...{ connection, clients, ...layout },
      onReconnect: (callback) => {
        callbacks.add(callback);
        return () => callbacks.delete(callback);
      },
      close: async () => {
        callbacks.clear();
        // A drain waits for the servers, which may be gone.
        if (!connection.isClosed())
          await Promise.race([connection.drain(), pause(REQUEST_MS)]).catch(() => {});
        await connection.close();
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** A connection on which nothing is known of the servers. */
export type Connected = Pick<Servers, 'connection' | 'clients'>;

/** Opens a connection, and no more. @throws TroupeError `unreachable` */
export async function openConnection(
  settings: ServerSettings,
  { name, inboxPrefix }: { readonly name: string; readonly inboxPrefix: string },
): Promise<Connected> {
  const clients = loadClients();
  return { connection: await connect(settings, { clients, name, inboxPrefix }), clients };
}

/** Returns the size of the largest message that the servers take. */
export function toMessageBytes({ info }: Pick<NatsConnection, 'info'>): number {
  return info?.max_payload ?? Number.POSITIVE_INFINITY;
}

/** Returns the number of copies in a cluster, or on a single server. */
export function toUsualReplicas({ info }: Pick<NatsConnection, 'info'>): number {
  return info?.cluster === undefined ? 1 : 3;
}

function loadClients(): Clients {
  try {
    return {
      transport: loadInstalled('@nats-io/transport-node') as Clients['transport'],
      jetstream: loadInstalled('@nats-io/jetstream') as Clients['jetstream'],
      kv: loadInstalled('@nats-io/kv') as Clients['kv'],
    };
  } catch (error) {
    const message = `Other hosts need the packages @nats-io/transport-node, @nats-io/jetstream and @nats-io/kv: ${toErrorText(error)}. Install them: npm install @nats-io/transport-node @nats-io/jetstream @nats-io/kv`;
    throw new TroupeError({ code: 'unreachable', message, cause: error });
  }
}

async function connect(
  settings: ServerSettings,
  { clients, name, inboxPrefix }: { clients: Clients; name: string; inboxPrefix: string },
): Promise<NatsConnection> {
  const { addresses, user, pass, usesTls } = parseAddresses(settings.servers);
  const { tls, credentials } = settings;
  try {
    const options: ConnectionOptions = {
      ...{ servers: addresses, name, inboxPrefix, timeout: CONNECT_MS },
      ...{ maxReconnectAttempts: -1, reconnectTimeWait: 100, reconnectJitter: 50 },
      ...{ pingInterval: 2_000, maxPingOut: 2, ignoreAuthErrorAbort: true },
      ...(user !== undefined && { user, pass }),
      ...(credentials !== undefined && {
        authenticator: clients.transport.credsAuthenticator(readFileSync(credentials)),
      }),
      ...((tls !== undefined || usesTls) && {
        tls: {
          ...(tls?.ca !== undefined && { caFile: tls.ca }),
          ...(tls?.cert !== undefined && { certFile: tls.cert }),
          ...(tls?.key !== undefined && { keyFile: tls.key }),
        },
      }),
    };
    return await clients.transport.connect(options);
  } catch (error) {
    const where = addresses.join(', ');
    const message = `No NATS server answers at ${where}: ${toErrorText(error)}. Check the address, the network and the credentials; "troupe doctor --remote" tells more.`;
    throw new TroupeError({ code: 'unreachable', message, cause: error });
  }
}

/** Separates the user and the password, which the client does not take from an address. */
function parseAddresses(servers: readonly string[]) {
  const urls = servers.map((server) => new URL(server.includes('://') ? server : `nats://${server}`));
  const [first] = urls;
  const user = first?.username ? decodeURIComponent(first.username) : undefined;
  return {
    addresses: urls.map(({ hostname, port }) => `${hostname}:${port === '' ? '4222' : port}`),
    usesTls: urls.some(({ protocol }) => protocol === 'tls:'),
    ...(user !== undefined && { user, pass: decodeURIComponent(first?.password ?? '') }),
  };
}

function checkVersion(connection: NatsConnection): void {
  const version = connection.info?.version ?? 'unknown';
  if (!isOldServer(version)) return;
  const message = `The NATS server at ${connection.getServer()} has version ${version}; troupe needs ${OLDEST_SERVER.join('.')} or newer, since older ones never remove expired keys. Update the server.`;
  throw new TroupeError({ code: 'unreachable', message });
}

export function isOldServer(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_SERVER;
  return !(major > oldestMajor || (major === oldestMajor && minor >= oldestMinor));
}

type NewStream = Parameters<JetStreamManager['streams']['add']>[0];

type Layout = Pick<Servers, 'jetstream' | 'manager' | 'attempts' | 'peers'>;

interface LayoutOptions extends Connected {
  readonly replicas: number;
}

async function ensureLayout(options: LayoutOptions): Promise<Layout> {
  const startMs = performance.now();
  while (true) {
    try {
      return await openLayout(options);
    } catch (error) {
      if (performance.now() - startMs > LAYOUT_MS || /permission/i.test(toErrorText(error))) {
        const message = `The NATS servers do not keep the streams of troupe: ${toErrorText(error)}. Check that JetStream is enabled, and start a worker first where this user may not create them; "troupe worker --print-permissions" prints what each user needs.`;
        throw new TroupeError({ code: 'unreachable', message, cause: error });
      }
      await pause(200);
    }
  }
}

/** Opens streams and buckets, and creates those that are missing. */
async function openLayout(options: LayoutOptions): Promise<Layout> {
  const { jetstream, manager, names } = await findApi(options);
  for (const config of toStreamConfigs(options.replicas))
    if (!names.has(config.name)) await manager.streams.add(config);
  const kvm = new options.clients.kv.Kvm(jetstream);
  return {
    ...{ jetstream, manager },
    // The subject of a direct read names the key, so that the servers can restrict it. A follower may answer, with an older revision.
    attempts: await kvm.open(streams.attempts, { allow_direct: true }),
    peers: await kvm.open(streams.peers, { allow_direct: false }),
  };
}

/** Finds the API of JetStream, that of the account or the one it imports, and the names of all streams there. */
export async function findApi({ connection, clients }: Connected) {
  const find = async (apiPrefix: string) => {
    const options = { timeout: REQUEST_MS, checkAPI: false, apiPrefix };
    const manager = await clients.jetstream.jetstreamManager(connection, { ...options });
    const names = new Set<string>();
    for await (const name of manager.streams.names()) names.add(name);
    return { jetstream: clients.jetstream.jetstream(connection, { ...options }), manager, names };
  };
  try {
    return await find('$JS.API');
  } catch (error) {
    return find(importedApi).catch(() => Promise.reject(error));
  }
}

/** Returns the streams and buckets of troupe. None may be rolled up: with that header, a user who may write one key of a bucket could delete all others. */
export function toStreamConfigs(replicas: number): readonly NewStream[] {
  const shared = { num_replicas: replicas, storage: 'file' } as const;
  const kept = { ...shared, max_age: KEPT_HOURS * HOUR_NS };
  const toBucket = (name: string): NewStream => ({
    ...{ ...shared, name: `KV_${name}`, subjects: [`$KV.${name}.>`] },
    ...{ max_msgs_per_subject: 1, discard: 'new' },
  });
  return [
    {
      ...{ ...kept, name: streams.starts, subjects: ['troupe.start.>'], retention: 'workqueue' },
      ...{ discard: 'new', max_msgs: MAX_WAITING_STARTS, duplicate_window: 120e9 },
    },
    {
      ...{ ...kept, name: streams.logs, subjects: ['troupe.log.>'], discard: 'old' },
      ...{ max_msgs_per_subject: MAX_ENTRIES_OF_ONE, max_bytes: MAX_LOG_BYTES, duplicate_window: 1e9 },
    },
    { ...toBucket(streams.attempts), allow_direct: true, allow_msg_ttl: true },
    { ...toBucket(streams.peers), max_age: PEER_TTL_NS },
  ];
}

async function watchStatus(connection: NatsConnection, callbacks: ReadonlySet<() => void>): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === 'reconnect') for (const callback of callbacks) callback();
  }
}

/** Waits without keeping the program alive. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

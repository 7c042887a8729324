import { toErrorText } from '../../../config/error-text.ts';
import { formatDuration } from '../../../config/format-duration.ts';
import type { ServerSettings } from '../../../config/remote-options.ts';
import { streams, type WorkerBeat } from '../../../spawn/remote/protocol.ts';
import { LOST_AFTER_MS } from '../../../spawn/remote/remote-attempt.ts';
import {
  type Connected,
  findApi,
  isOldServer,
  OLDEST_SERVER,
  openConnection,
  toStreamConfigs,
  toUsualReplicas,
} from '../../../spawn/remote/servers.ts';
import { type Check, fail, ok, warn } from './checks.ts';

/** Differences of clocks up to this are usual. */
const MAX_CLOCK_MS = 1_000;
/** Time within which the servers send the last beat of each worker. */
const LISTEN_MS = 1_000;

interface Connection extends Connected {
  readonly inboxPrefix: string;
}

export interface RemoteCheckSettings extends ServerSettings {
  readonly tenant?: string | undefined;
}

/** Checks the servers of other hosts and the workers that are alive there. Creates streams that are missing. Never rejects. */
export async function runRemoteChecks(settings: RemoteCheckSettings): Promise<readonly Check[]> {
  let connected: Connection;
  try {
    const inboxPrefix = toInboxPrefix(settings);
    connected = { ...(await openConnection(settings, { name: 'troupe doctor', inboxPrefix })), inboxPrefix };
  } catch (error) {
    const says = toErrorText(error).replace('; "troupe doctor --remote" tells more', '');
    return [fail('servers', says, 'Start one for a first try: troupe worker --dev')];
  }
  try {
    const checks = [...checkServer(connected), checkEncryption(connected)];
    const isUsable = checks.every(({ state }) => state !== 'fail');
    return isUsable ? [...checks, ...(await checkJetStream(connected))] : checks;
  } finally {
    await connected.connection.close();
  }
}

/** Returns the inbox of the tenant, or that of the user, to which permissions may restrict this program. */
function toInboxPrefix({ tenant, servers: [first = ''] }: RemoteCheckSettings): string {
  const name = tenant ?? (URL.parse(first)?.username || undefined);
  return name === undefined ? '_INBOX' : `_INBOX_${name}`;
}

function checkServer({ connection }: Connected): readonly Check[] {
  const { version = 'unknown', cluster } = connection.info ?? {};
  const where = cluster === undefined ? '' : `, of the cluster ${cluster}`;
  const oldest = OLDEST_SERVER.join('.');
  return [
    ok('servers', `${connection.getServer()} answers${where}`),
    isOldServer(version)
      ? fail('version', `${version}: it never removes expired keys`, `Install ${oldest} or newer.`)
      : ok('version', version),
  ];
}

function checkEncryption({ connection }: Connected): Check {
  if (connection.info?.tls_required === true) return ok('encryption', 'TLS');
  if (/^(127\.|localhost|\[?::1)/.test(connection.getServer()))
    return ok('encryption', 'none, and the server is on this machine');
  return warn(
    'encryption',
    'none: commands and their output can be read and changed on the way',
    'Configure TLS in the servers: tls { cert_file: …, key_file: … }',
  );
}

type Api = Awaited<ReturnType<typeof findApi>>;

async function checkJetStream(connected: Connection): Promise<readonly Check[]> {
  let api: Api;
  try {
    api = await findApi(connected);
  } catch (error) {
    const advice =
      'Enable it in the servers, and for this account: jetstream {}. Permissions: troupe worker --print-permissions';
    return [fail('JetStream', toErrorText(error), advice)];
  }
  const streamsCheck = await checkStreams(connected, api);
  const checks = [ok('JetStream', 'is enabled'), streamsCheck];
  if (streamsCheck.state === 'fail') return checks;
  return [...checks, await checkReplicas(connected, api), checkSync(), ...(await checkPeers(connected, api))];
}

async function checkStreams({ connection }: Connected, { manager, names }: Api): Promise<Check> {
  const missing = toStreamConfigs(toUsualReplicas(connection)).filter(({ name }) => !names.has(name));
  if (missing.length === 0) return ok('streams', 'are there');
  const named = missing.map(({ name }) => name).join(', ');
  try {
    for (const config of missing) await manager.streams.add(config);
    return ok('streams', `${named} were missing and are created`);
  } catch (error) {
    const advice = 'Start a worker first, which may create them: troupe worker';
    // An account that imports the API imports no right to create.
    const text = toErrorText(error);
    const why = /not enabled/.test(text) ? 'this account may not' : text;
    return fail('streams', `${named} are missing and cannot be created: ${why}`, advice);
  }
}

async function checkReplicas({ connection }: Connected, { manager }: Api): Promise<Check> {
  const isCluster = connection.info?.cluster !== undefined;
  const alone = 'while it is down nothing starts, and with its disk all records are lost';
  if (!isCluster)
    return warn(
      'copies',
      `one, on a single server: ${alone}`,
      'Fit for a try; use a cluster of three servers.',
    );
  try {
    const infos = await Promise.all(toStreamConfigs(3).map(({ name }) => manager.streams.info(name)));
    const few = infos.filter(({ config }) => config.num_replicas < 3).map(({ config }) => config.name);
    if (few.length === 0) return ok('copies', 'three of each stream');
    const advice = `For each of them: nats stream edit --replicas 3 ${few[0]}`;
    return warn(
      'copies',
      `fewer than three of ${few.join(', ')}: without the server of one, ${alone}`,
      advice,
    );
  } catch {
    return ok('copies', 'cannot be seen by this user, which may not read the settings of streams');
  }
}

/** The setting is in the configuration of each server, which no client sees. */
function checkSync(): Check {
  return warn(
    'sync',
    'cannot be seen from here; by default the servers lose what they acknowledged in the last two minutes when the power fails',
    'In the configuration of each server: jetstream { sync_interval: always }',
  );
}

async function checkPeers(connected: Connection, api: Api): Promise<readonly Check[]> {
  try {
    const clock = await readClock(connected, api);
    const workers = await listWorkers(connected, { api, nowAt: clock.serverAt });
    return [checkClock(clock), ...checkWorkers(workers)];
  } catch (error) {
    return [fail('workers', toErrorText(error), 'Permissions: troupe worker --print-permissions')];
  }
}

interface ClockReading {
  /** Milliseconds since the epoch, by the clock of the servers. */
  readonly serverAt: number;
  /** Lead of the servers over this machine. */
  readonly aheadMs: number;
}

/** Reads the clock from the answer to a request that every asker may send. */
async function readClock({ clients, inboxPrefix }: Connection, { manager }: Api): Promise<ClockReading> {
  const beginAt = Date.now();
  const info = await manager.consumers.add(`KV_${streams.peers}`, {
    filter_subjects: [`$KV.${streams.peers}.doctor.1`, `$KV.${streams.peers}.doctor.2`],
    ...{ ack_policy: 'none', mem_storage: true, inactive_threshold: 1e9 },
    deliver_subject: clients.transport.createInbox(inboxPrefix),
  });
  // Every answer has it, but the types do not.
  const serverAt = Date.parse((info as { readonly ts?: string }).ts ?? '');
  return { serverAt, aheadMs: serverAt - (beginAt + Date.now()) / 2 };
}

function checkClock({ aheadMs }: ClockReading): Check {
  const says = `the servers are ${formatDuration(Math.round(Math.abs(aheadMs)))} ${aheadMs < 0 ? 'behind' : 'ahead of'} this machine`;
  return Math.abs(aheadMs) <= MAX_CLOCK_MS
    ? ok('clock', says)
    : warn('clock', `${says}: times in views are wrong by as much`, 'Synchronize the clocks: NTP');
}

interface LiveWorker extends WorkerBeat {
  readonly id: string;
}

/** Lists the workers with a beat that is not older than those of a dead one. */
async function listWorkers(
  { clients }: Connected,
  { api: { jetstream }, nowAt }: { readonly api: Api; readonly nowAt: number },
): Promise<readonly LiveWorker[]> {
  const bucket = await new clients.kv.Kvm(jetstream).open(streams.peers, { allow_direct: false });
  // Permissions allow several keys, and no wildcard alone.
  const entries = await bucket.watch({ key: ['worker.>', 'doctor.1'] });
  const timer = setTimeout(() => entries.stop(), LISTEN_MS);
  const workers = new Map<string, LiveWorker>();
  for await (const entry of entries) {
    const id = entry.key.replace(/^worker\./, '');
    const isAlive = entry.operation === 'PUT' && nowAt - entry.created.getTime() < LOST_AFTER_MS;
    if (isAlive) workers.set(id, { id, ...entry.json<WorkerBeat>() });
    else workers.delete(id);
  }
  clearTimeout(timer);
  return [...workers.values()];
}

function checkWorkers(workers: readonly LiveWorker[]): readonly Check[] {
  if (workers.length === 0)
    return [warn('workers', 'none is alive: commands wait in the queue', 'Start one: troupe worker')];
  const pools = [...new Set(workers.flatMap(({ pools: names }) => names))].sort();
  return pools.map((pool) => {
    const members = workers.filter(({ pools: names }) => names.includes(pool));
    const draining = members.filter(({ isDraining }) => isDraining).length;
    const open = members.filter(({ isDraining }) => !isDraining);
    const places = open.reduce((sum, { capacity }) => sum + capacity, 0);
    const running = open.reduce((sum, worker) => sum + worker.running, 0);
    const more = draining === 0 ? '' : `, ${draining} of them draining`;
    const says = `${members.length === 1 ? '1 worker' : `${members.length} workers`}${more}; ${places - running} of ${places} places are free`;
    const name = `pool ${pool}`;
    return open.length === 0 ? warn(name, says, 'Start a worker for it: troupe worker') : ok(name, says);
  });
}

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { jetstreamManager } from '@nats-io/jetstream';
import { type ConnectionOptions, connect } from '@nats-io/transport-node';
import { isAlive, tempDir, waitUntil } from './os.ts';

const run = promisify(execFile);

const MIN_VERSION = { major: 2, minor: 12 };
const cached = join(import.meta.dirname, '../../node_modules/.cache/nats-server/nats-server');

/**
 * Returns the path of a nats-server from 2.12: of TROUPE_NATS_SERVER, on PATH, or unpacked from Debian's packages into `node_modules/.cache`,
 * which needs apt-get and takes seconds the first time. `null` where there is none.
 */
export async function findNatsServer(): Promise<string | null> {
  const named = process.env['TROUPE_NATS_SERVER'];
  if (named !== undefined && !(await isRecent(named)))
    throw new Error(`TROUPE_NATS_SERVER is "${named}"; expected the path of a nats-server from 2.12.`);
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'nats-server'));
  for (const file of named === undefined ? [...onPath, cached] : [named])
    if (await isRecent(file)) return file;
  try {
    await withLock(`${cached}.lock`, async () => {
      if (!(await isRecent(cached))) await unpackFromDebian();
    });
    return (await isRecent(cached)) ? cached : null;
  } catch (error) {
    console.warn(`nats-server could not be unpacked: ${error instanceof Error ? error.message : error}`);
    return null;
  }
}

/** Tells whether `findNatsServer` finds one. Otherwise tests that need it are skipped, with a printed count; in CI they must run. */
export async function hasNatsServer(): Promise<boolean> {
  if ((await findNatsServer()) !== null) return true;
  const message = 'There is no nats-server from 2.12, and apt-get could not fetch it: its tests are SKIPPED.';
  if (process.env['CI'] !== undefined) throw new Error(message);
  console.warn(message);
  return false;
}

async function isRecent(file: string): Promise<boolean> {
  if (!existsSync(file)) return false;
  try {
    const { stdout } = await run(file, ['--version']);
    const [major = 0, minor = 0] = (/v(\d+)\.(\d+)/.exec(stdout) ?? []).slice(1).map(Number);
    return major > MIN_VERSION.major || (major === MIN_VERSION.major && minor >= MIN_VERSION.minor);
  } catch {
    // Made for another platform, or for a newer libc.
    return false;
  }
}

/** Runs `work` in one process at a time. The lock is a link to the pid of its owner; that of a dead process counts as free. */
async function withLock(lock: string, work: () => Promise<void>): Promise<void> {
  mkdirSync(dirname(lock), { recursive: true });
  await waitUntil(() => takeLock(lock), { withinMs: 300_000, what: `${lock} is free` });
  try {
    await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function takeLock(lock: string): boolean {
  try {
    symlinkSync(`${process.pid}`, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const owner = lstatSync(lock, { throwIfNoEntry: false }) && readlinkSync(lock);
    if (owner !== undefined && !isAlive(Number(owner))) rmSync(lock, { force: true });
    return false;
  }
}

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * Fetches the package of Debian's sid with apt-get, whose mirrors, proxy and signature check it keeps, and installs nothing: stable releases
 * have an older server, and sid's needs no more than libc 2.34.
 */
async function unpackFromDebian(): Promise<void> {
  using folder = tempDir();
  // apt-get downloads as a user of its own, which must get to its folders.
  chmodSync(folder.path, 0o755);
  mkdirSync(folder.file('lists'));
  const settings = {
    'Dir::State::lists': folder.file('lists'),
    'Dir::Cache': folder.file('cache'),
    'Acquire::Retries': 1,
    'Acquire::http::Timeout': 20,
    'Acquire::https::Timeout': 20,
  };
  const apt = (given: object, ...args: string[]) => {
    const options = Object.entries({ ...settings, ...given }).flatMap((entry) => ['-o', entry.join('=')]);
    return run('apt-get', [...options, ...args], { cwd: folder.path, timeout: 120_000 });
  };
  const release = /^VERSION_CODENAME=(.*)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
  const { stdout: uris } = await apt({}, 'update', '--print-uris');
  const mirrors = [...uris.matchAll(/^'(\S+)\/dists\/([^/\s]+)\/InRelease'/gm)];
  const sources = mirrors
    .filter(([, , suite]) => suite === release)
    .map(([, mirror]) => `deb [signed-by=${KEYRING}] ${mirror} sid main\n`);
  writeFileSync(folder.file('sid.list'), sources.join(''));
  const fromSid = { 'Dir::Etc::sourcelist': folder.file('sid.list'), 'Dir::Etc::sourceparts': '/dev/null' };
  // Fails if one of several mirrors is not Debian's.
  const { stderr } = await apt(fromSid, 'update').catch((error) => error);
  await apt(fromSid, 'download', 'nats-server').catch((error) => {
    throw new Error(`${error.message}${stderr}`);
  });
  const [file = ''] = readdirSync(folder.path).filter((name) => name.endsWith('.deb'));
  await run('dpkg-deb', ['--extract', folder.file(file), folder.file('unpacked')]);
  // Other workers look for it without the lock.
  copyFileSync(folder.file('unpacked/usr/sbin/nats-server'), `${cached}.new`);
  renameSync(`${cached}.new`, cached);
}

export interface NatsOptions {
  /**
   * Text of the configuration file, such as users, accounts or `jetstream { sync_interval: always }`. Names, ports and stores are flags,
   * which take precedence.
   */
  readonly config?: string;
  /** Requires TLS of clients; `mutual` requires a certificate of them too. */
  readonly tls?: 'server' | 'mutual';
}

export interface NatsClusterOptions extends NatsOptions {
  /** Login with which the cluster is tried, where `config` requires one. Its account needs JetStream. */
  readonly login?: { readonly user: string; readonly pass: string };
}

/** Option `tls` of a client: one certificate for 127.0.0.1, which signs itself and serves both sides. */
export interface NatsTls {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

export interface NatsNode {
  /** `nats://127.0.0.1:port`; the same after a restart. */
  readonly url: string;
  readonly pid: number;
  /** Sends a signal, by default SIGKILL. Resolves when the process has ended, or at once if the signal is not meant to end it. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts the server again with the same ports and store; resolves when it accepts connections. */
  start(): Promise<void>;
}

export interface NatsServer extends NatsNode, AsyncDisposable {
  /** `null` without TLS. */
  readonly tls: NatsTls | null;
}

export interface NatsCluster extends AsyncDisposable {
  readonly urls: readonly string[];
  readonly nodes: readonly NatsNode[];
  /** `null` without TLS. */
  readonly tls: NatsTls | null;
}

/** Starts a server with JetStream. Disposal kills it and removes its store. */
export async function startNats(options: NatsOptions = {}): Promise<NatsServer> {
  const { nodes, tls, [Symbol.asyncDispose]: dispose } = await startNodes(1, options);
  const [node] = nodes as readonly [NatsNode];
  return Object.assign(node, { tls, [Symbol.asyncDispose]: dispose });
}

/**
 * Starts three servers that accept streams of three replicas. Disposal kills them and removes their stores. In one start of ten the votes split,
 * and the next election is 4 to 9 s later.
 */
export function startNatsCluster(options: NatsClusterOptions = {}): Promise<NatsCluster> {
  return startNodes(3, options);
}

async function startNodes(count: number, options: NatsClusterOptions): Promise<NatsCluster> {
  const { config = '', tls: mode, login } = options;
  const program = await findNatsServer();
  if (program === null) throw new Error('There is no nats-server: skip the test unless hasNatsServer().');
  await using started = new AsyncDisposableStack();
  const folder = started.use(tempDir());
  const tls = mode === undefined ? null : await createCertificate(folder.file);
  writeFileSync(folder.file('nats.conf'), `${toTlsBlock(tls, mode)}\n${config}\n`);
  const ports = await findFreePorts(count);
  const routes = ports.map(({ route }) => `nats://127.0.0.1:${route}`);
  const nodes = ports.map((own, index) => {
    const name = `n${index + 1}`;
    const cluster = ['--cluster_name', 'troupe', '--cluster', routes[index] ?? '', '--routes', routes.join()];
    const args = [
      ...['-c', folder.file('nats.conf'), '-n', name, '-js', '-sd', folder.file(name)],
      ...['-a', '127.0.0.1', '-p', `${own.client}`, '-m', `${own.monitor}`],
      ...(count > 1 ? cluster : []),
    ];
    return createNode({ command: [program, ...args], ports: own, log: folder.file(`${name}.log`) });
  });
  for (const node of nodes) started.defer(() => node.kill());
  await Promise.all(nodes.map((node) => node.start()));
  if (count > 1) await waitForPlacement(nodes, { tls, ...login });
  const running = started.move();
  return {
    ...{ urls: nodes.map(({ url }) => url), nodes, tls },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

interface LocalNode extends NatsNode {
  /** Asks `/healthz` of the monitoring port. */
  isHealthy(query?: string): Promise<boolean>;
}

/** Keeps a server from outliving a killed test worker, where setpriv(1) can. */
const LAUNCH = 'setpriv --pdeathsig KILL true 2>/dev/null && exec setpriv --pdeathsig KILL "$@"; exec "$@"';
const ENDING: readonly NodeJS.Signals[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGQUIT'];

function createNode(given: {
  readonly command: readonly string[];
  readonly ports: Ports;
  readonly log: string;
}): LocalNode {
  const { command, ports, log } = given;
  let child: ChildProcess | null = null;
  const isRunning = () => child !== null && child.exitCode === null && child.signalCode === null;
  const isHealthy = async (query = ''): Promise<boolean> => {
    try {
      return (await fetch(`http://127.0.0.1:${ports.monitor}/healthz${query}`)).ok;
    } catch {
      return false;
    }
  };
  return {
    url: `nats://127.0.0.1:${ports.client}`,
    isHealthy,
    get pid() {
      return child?.pid ?? 0;
    },
    kill: async (signal = 'SIGKILL') => {
      if (child === null || !isRunning()) return;
      child.kill(signal);
      if (ENDING.includes(signal)) await once(child, 'exit');
    },
    start: async () => {
      if (isRunning())
        throw new Error(`start: the server still runs as process ${child?.pid}; kill it first.`);
      const output = openSync(log, 'a');
      child = spawn('sh', ['-c', LAUNCH, 'sh', ...command], { stdio: ['ignore', output, output] });
      closeSync(output);
      const isReady = async () => {
        if (!isRunning())
          throw new Error(`nats-server has ended:\n${readFileSync(log, 'utf8').slice(-2_000)}`);
        return await isHealthy('?js-enabled-only=true');
      };
      await waitUntil(isReady, { what: `nats-server accepts connections at ${ports.client}` });
    },
  };
}

/**
 * Waits until a stream can be placed on all nodes. Only trying tells: the leader refuses a node until it has received its statistics, which no
 * endpoint shows.
 */
async function waitForPlacement(nodes: readonly LocalNode[], options: ConnectionOptions): Promise<void> {
  const areHealthy = async () => !(await Promise.all(nodes.map((node) => node.isHealthy()))).includes(false);
  await waitUntil(areHealthy, { what: 'the cluster has a leader, and all nodes follow it' });
  const connection = await connect({ servers: nodes.map(({ url }) => url), ...options });
  try {
    const { streams } = await jetstreamManager(connection, { checkAPI: false });
    const place = async () => {
      await streams.add({ name: 'probe', subjects: ['probe'], num_replicas: nodes.length });
      return await streams.delete('probe');
    };
    await waitUntil(() => place().catch(() => false), { what: 'the cluster places a stream on all nodes' });
  } finally {
    await connection.close();
  }
}

async function createCertificate(file: (name: string) => string): Promise<NatsTls> {
  const [certFile, keyFile] = [file('cert.pem'), file('key.pem')];
  // The client checks the name "localhost" where a URL has an address.
  const name = ['-subj', '/CN=nats', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
  await run('openssl', ['req', '-x509', '-days', '2', ...key, ...name, '-out', certFile]);
  return { caFile: certFile, certFile, keyFile };
}

function toTlsBlock(tls: NatsTls | null, mode: NatsOptions['tls']): string {
  if (tls === null) return '';
  const clients = mode === 'mutual' ? `ca_file: "${tls.caFile}", verify: true` : '';
  return `tls { cert_file: "${tls.certFile}", key_file: "${tls.keyFile}", ${clients} }`;
}

interface Ports {
  readonly client: number;
  readonly monitor: number;
  readonly route: number;
}

/** Below the ports that Linux gives to connections (`ip_local_port_range`), so that a killed server finds its own still free. */
const PORTS = { first: 10_000, count: 22_000 };

async function findFreePorts(count: number): Promise<readonly Ports[]> {
  const listeners = await Promise.all(Array.from({ length: count * 3 }, listen));
  const ports = listeners.map(({ port }) => port);
  await Promise.all(listeners.map(({ close }) => close()));
  return Array.from({ length: count }, (_, index) => {
    const [client = 0, monitor = 0, route = 0] = ports.slice(index * 3);
    return { client, monitor, route };
  });
}

async function listen(): Promise<{ readonly port: number; close(): Promise<void> }> {
  for (;;) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
      return { port, close: () => promisify(server.close.bind(server))() };
    } catch {
      // The port is taken.
    }
  }
}

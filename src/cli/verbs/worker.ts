import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { toErrorText } from '../../config/error-text.ts';
import { quote } from '../../config/quote.ts';
import { hostName, SERVERS_VARIABLE, toHostName } from '../../config/remote-options.ts';
import { credentialNames, dropUndefined } from '../../config/supervisor-options.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { DevServer } from '../../remote/dev-server.ts';
import type { RemoteWorker } from '../../remote/open-worker.ts';
import type { WorkerOptions } from '../../remote/worker-options.ts';
import { type CliIo, printError, printLines } from '../cli-io.ts';
import { type EndSignal, isSentBySystem, keepIgnoringBrokenPipes, listEndSignals } from '../end-signals.ts';
import { exitCodes, toSignalCode } from '../exit-codes.ts';
import { collect, parseLimit } from '../flag-values.ts';
import { readServers } from '../read-servers.ts';
import type { DefineVerb, FlagsOf } from '../verb.ts';

const addFlags = (command: Command) =>
  command
    .option('--servers <urls>', `NATS servers, separated by commas ($${SERVERS_VARIABLE})`)
    .option('--pools <names>', 'pools whose commands it takes, separated by commas (default)')
    .option('--capacity <number>', 'how many processes it runs at once (100)')
    .option('-n, --name <name>', 'its name (that of this machine)')
    .option('-C, --cwd <directory>', 'the directory of commands that name none (this one)')
    .option('-e, --env <NAME>', 'pass commands this variable, even a key; can be repeated', collect)
    .option('--isolation <duration>', 'kill what runs after so long without servers (60s)')
    .option('--credentials <file>', 'credentials of its user, as nsc writes them')
    .option('--tls-ca <file>', 'certificate of the authority of the servers')
    .option('--tls-cert <file>', 'its own certificate')
    .option('--tls-key <file>', 'the key of its certificate')
    .option('--dev', 'start a server on this machine, too, to try it')
    .option('--print-permissions', 'print accounts and users for the servers, and end')
    .option('--tenant <name>', 'a tenant to print them for (default); can be repeated', collect)
    .option('--worker <name>', 'a worker to print them for (this one); can be repeated', collect);

type WorkerFlags = FlagsOf<typeof addFlags>;

/** Defines `troupe worker`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description('Runs the commands that programs on other hosts start in its pools.')
    .addHelpText(
      'after',
      `
The first Ctrl-C or SIGTERM drains it: it takes no more commands, and ends when
the last one has ended. A second one kills them. If the worker dies, its
commands are killed, and the programs that started them learn it within five
seconds.

Commands run as the user of the worker, in its environment without keys and
tokens: permission to start in a pool is a shell on its hosts. With --dev only
this machine reaches the server, with the password that is printed.

  ${name} worker --dev
  ${name} worker --servers nats://n1,nats://n2 --pools gpu --env HF_TOKEN
  ${name} worker --print-permissions --tenant acme --worker gpu-1
  ${SERVERS_VARIABLE}=nats://n1 ${name} run --host pool:gpu -- nvidia-smi`,
    )
    .action(async (flags) => end(await runWorker({ flags, io })));
};

interface WorkerCall {
  readonly flags: WorkerFlags;
  readonly io: CliIo;
}

/** Runs a worker until a signal ends it. @returns the exit code. @throws TroupeError `invalid-option`, `unreachable` */
async function runWorker({ flags, io }: WorkerCall): Promise<number> {
  if (flags.printPermissions === true) {
    await printPermissions({ flags, io });
    return exitCodes.done;
  }
  const server = flags.dev === true ? await startServer({ flags, io }) : null;
  try {
    const options = parseWorkerOptions({ flags, io }, server);
    // It loads the supervisor and the client, which help and completion can do without.
    const { openWorker } = await import('../../remote/open-worker.ts');
    const worker = await openWorker(options);
    void server?.died.then((said) => printError(io, `the server of --dev has ended: ${said}`));
    printLines(io, describe(worker, options));
    return await runUntilSignals(worker, io);
  } finally {
    await server?.close();
  }
}

/** @throws TroupeError `invalid-option` */
function parseWorkerOptions({ flags, io }: WorkerCall, server: DevServer | null): WorkerOptions {
  const { servers, credentials, tls } =
    server === null ? readServers(flags.servers, io) : { servers: server.url };
  const own = dropUndefined({ ca: flags.tlsCa, cert: flags.tlsCert, key: flags.tlsKey });
  return {
    servers,
    credentials: flags.credentials ?? credentials,
    tls: Object.keys(own).length > 0 ? { ...tls, ...own } : tls,
    ...(flags.pools !== undefined && { pools: parseNames(flags.pools, '--pools') }),
    ...(flags.capacity !== undefined && { capacity: parseCapacity(flags.capacity) }),
    ...(flags.name !== undefined && { name: parseName(flags.name, '--name') }),
    cwd: parseDirectory(flags.cwd, io),
    env: readVariables(flags.env ?? [], io),
    redactNames: [...credentialNames, ...ownVariables],
    ...(flags.isolation !== undefined && { isolation: parseLimit(flags.isolation, '--isolation') }),
    onError: (error) => printError(io, toErrorText(error).replaceAll('\n', ' ')),
  };
}

/** A command that had them could do what the worker may do. */
const ownVariables = [SERVERS_VARIABLE, 'TROUPE_TENANT', 'TROUPE_CREDENTIALS', 'TROUPE_TLS_*'] as const;

async function printPermissions({ flags, io }: WorkerCall): Promise<void> {
  const { toPermissionTemplate } = await import('../../remote/permissions.ts');
  const template = toPermissionTemplate({
    tenants: (flags.tenant ?? ['default']).map((name) => parseName(name, '--tenant')),
    workers: (flags.worker ?? [flags.name ?? toHostName(hostname())]).map((name) =>
      parseName(name, '--worker'),
    ),
    pools: parseNames(flags.pools ?? 'default', '--pools'),
  });
  printLines(io, template.trimEnd());
}

async function startServer({ flags, io }: WorkerCall): Promise<DevServer> {
  const port = parseDevPort(flags.servers);
  const { startDevServer } = await import('../../remote/dev-server.ts');
  const server = await startDevServer({ port, env: io.env });
  printLines(io, `a server runs as long as this worker; to use it: export ${SERVERS_VARIABLE}=${server.url}`);
  return server;
}

const LOCAL_NAMES: readonly string[] = ['127.0.0.1', 'localhost'];

function parseDevPort(servers = 'nats://127.0.0.1:4222'): number {
  const url = URL.parse(servers.includes('://') ? servers : `nats://${servers}`);
  if (url !== null && LOCAL_NAMES.includes(url.hostname)) return Number(url.port || '4222');
  throw invalid(
    `--servers is ${quote(servers)}; expected an address of this machine with --dev, such as nats://127.0.0.1:4223.`,
  );
}

function parseNames(text: string, flag: string): readonly string[] {
  return text.split(',').map((name) => parseName(name.trim(), flag));
}

function parseName(text: string, flag: string): string {
  const problem = hostName.safeParse(text).error?.issues[0]?.message;
  if (problem === undefined) return text;
  throw invalid(`${flag} is ${quote(text)}; expected a name of ${problem}.`);
}

function parseCapacity(text: string): number {
  const capacity = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (capacity > 0) return capacity;
  throw invalid(`--capacity is ${quote(text)}; expected a number from 1 to 999999.`);
}

function parseDirectory(directory = '.', { cwd }: CliIo): string {
  const path = resolve(cwd, directory);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw invalid(`--cwd is ${quote(directory)}; expected a directory that exists.`);
}

function readVariables(names: readonly string[], { env }: CliIo): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => {
      const value = env[name];
      if (value !== undefined) return [name, value];
      throw invalid(
        `--env is ${quote(name)}; expected the name of a variable of this program. Set it, or leave the option out.`,
      );
    }),
  );
}

function describe({ id }: RemoteWorker, options: WorkerOptions): string {
  const { servers, pools = ['default'], capacity = 100 } = options;
  const named = pools.length === 1 ? `the pool ${pools[0]}` : `the pools ${pools.join(', ')}`;
  return `worker ${id} takes commands of ${named}, ${capacity} at once, from ${toShownServers(servers)}`;
}

/** Returns addresses without user and password, for people. */
function toShownServers(servers: WorkerOptions['servers']): string {
  const addresses = typeof servers === 'string' ? servers.split(',') : servers;
  return addresses.map((address) => address.replace(/\/\/[^@/]*@/, '//')).join(', ');
}

/** Drains the worker at the first signal, and kills its processes at the second. @returns the exit code. */
function runUntilSignals(worker: RemoteWorker, io: CliIo): Promise<number> {
  keepIgnoringBrokenPipes();
  const { promise, resolve } = Promise.withResolvers<number>();
  let count = 0;
  const close = (exitCode: number) => void worker.close().then(() => resolve(exitCode));
  const onSignal = (signal: EndSignal) => {
    count += 1;
    if (count > 2) process.exit(toSignalCode(signal));
    if (count === 2) return close(toSignalCode(signal));
    const { running } = worker;
    const rest = running === 0 ? 'none runs' : `${running} still run, and a second signal kills them`;
    printLines(io, `worker ${worker.id} takes no more commands; ${rest}`);
    void worker.drain().then(() => close(exitCodes.done));
  };
  for (const signal of listEndSignals()) {
    process.on(signal, (_name: string, number?: number) => {
      // Every write to a broken pipe raises it again, and one from the system may concern the input of a process.
      if (signal !== 'SIGPIPE' || (count === 0 && !isSentBySystem(number))) onSignal(signal);
    });
  }
  return promise;
}

function invalid(message: string): TroupeError {
  return new TroupeError({ code: 'invalid-option', message });
}

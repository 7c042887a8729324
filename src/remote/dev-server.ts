import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { findProgram } from '../spawn/find-program.ts';
import { isOldServer, OLDEST_SERVER } from '../spawn/remote/servers.ts';
import { runProgram } from '../spawn/start-child.ts';
import { createSupervisor } from '../supervisor/create-supervisor.ts';

/** A NATS server of this program. */
export interface DevServer {
  /** Address with user and password. */
  readonly url: string;
  /** Resolves, with what the server said last, when it ends before `close`. */
  readonly died: Promise<string>;
  /** Ends the server and removes its data. */
  close(): Promise<void>;
}

/** Variable with the path of nats-server. */
export const PROGRAM_VARIABLE = 'TROUPE_NATS_SERVER';

const HELP = `Get one from https://github.com/nats-io/nats-server/releases, and put it on the PATH or its path into ${PROGRAM_VARIABLE}.`;
const READY_MS = 20_000;

/**
 * Starts nats-server with JetStream on 127.0.0.1, with a password: every program that reaches the server may start commands.
 * Its data is in a new temporary directory. It ends with this program, also if that is killed.
 *
 * @throws TroupeError `unreachable` where there is no nats-server, or it does not start.
 */
export async function startDevServer({
  port,
  env,
}: {
  readonly port: number;
  readonly env: NodeJS.ProcessEnv;
}): Promise<DevServer> {
  const program = await findServer(env);
  const directory = mkdtempSync(join(tmpdir(), 'troupe-nats-'));
  const password = randomBytes(12).toString('base64url');
  const config = join(directory, 'nats.conf');
  writeFileSync(config, toConfig({ port, password, store: join(directory, 'store') }), { mode: 0o600 });
  const supervisor = createSupervisor({ cwd: directory, stateDirectory: false, notifyAfterSilence: 0 });
  const stop = async () => {
    await supervisor.shutdown();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const server = supervisor.start({
      command: [program, '-c', config],
      ...{ background: true, label: 'nats-server' },
      ready: { line: 'Server is ready', within: READY_MS },
    });
    const ready = await server.ready();
    const readLast = () => server.read().text.trimEnd().split('\n').at(-1) ?? '';
    if (ready.state === 'failed') throw unreachable(`${program} does not start: ${readLast() || ready.why}`);
    let isClosing = false;
    const died = Promise.withResolvers<string>();
    void server.ended.then(() => {
      if (!isClosing) died.resolve(readLast());
    });
    return {
      url: `nats://dev:${password}@127.0.0.1:${port}`,
      died: died.promise,
      close: () => {
        isClosing = true;
        return stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function toConfig({ port, password, store }: { port: number; password: string; store: string }): string {
  return [
    `listen: "127.0.0.1:${port}"`,
    `jetstream { store_dir: ${JSON.stringify(store)} }`,
    `authorization { user: dev, password: "${password}" }`,
    '',
  ].join('\n');
}

async function findServer(env: NodeJS.ProcessEnv): Promise<string> {
  const named = env[PROGRAM_VARIABLE] || undefined;
  const file = named ?? findProgram('nats-server', { path: env['PATH'] ?? '', cwd: process.cwd() });
  const oldest = OLDEST_SERVER.join('.');
  if (typeof file !== 'string')
    throw unreachable(`--dev needs nats-server ${oldest} or newer, and there is none on the PATH. ${HELP}`);
  const { stdout } = await runProgram(file, ['--version']).catch(() => ({ stdout: '' }));
  const version = /v(\d+\.\d+\.\d+)/.exec(stdout)?.[1];
  if (version === undefined) throw unreachable(`${quote(file)} is not a nats-server that runs here. ${HELP}`);
  if (isOldServer(version))
    throw unreachable(`${quote(file)} has version ${version}; expected ${oldest} or newer. ${HELP}`);
  return file;
}

function unreachable(message: string): TroupeError {
  return new TroupeError({ code: 'unreachable', message });
}

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { ControlReply } from '../../src/control/protocol.ts';
import type { ProcessHandle } from '../../src/process/process-handle.ts';
import { openStateDirectory } from '../../src/state-directory/open-state-directory.ts';
import type { StateDirectory } from '../../src/state-directory/state-directory.ts';
import { createFileSupervisorRegistry } from '../../src/store/file-supervisor-registry.ts';
import type { SupervisorEntry } from '../../src/store/supervisor-registry.ts';
import type { SupervisorOptions } from '../../src/supervisor/supervisor-options.ts';
import { waitUntil } from '../support/os.ts';
import { openRealHarness, type RealHarness } from '../support/real.ts';

/** A supervisor that listens, and its state directory seen from outside. */
export interface ControlStage extends RealHarness {
  readonly state: StateDirectory;
  readonly socketPath: string;
  /** A process that runs until it is killed; the first one opens the socket. */
  readonly idle: ProcessHandle;
}

export async function openControlStage(options: SupervisorOptions = {}): Promise<ControlStage> {
  const real = openRealHarness({ shutdownGrace: 200, maxBackgroundProcesses: 100, ...options });
  const { supervisor, stateDirectory } = real;
  const idle = supervisor.start({ command: ['sleep', '1000'], background: true });
  const socketPath = await untilListening(stateDirectory, supervisor.id);
  const state = openStateDirectory({ directory: stateDirectory });
  return {
    ...real,
    state,
    socketPath,
    idle,
    [Symbol.asyncDispose]: async () => {
      state.close();
      await real[Symbol.asyncDispose]();
    },
  };
}

/** The path of its socket, once it stands in the roll. */
export function untilListening(directory: string, supervisorId: string): Promise<string> {
  return waitUntil(() => findEntry(directory, supervisorId)?.socket, { what: 'its socket is open' });
}

export function findEntry(directory: string, supervisorId: string): SupervisorEntry | undefined {
  return createFileSupervisorRegistry({ directory })
    .list()
    .map(({ entry }) => entry)
    .find(({ id }) => id === supervisorId);
}

/** Opens a client that sends any bytes, valid or not. */
export interface RawClient {
  readonly socket: Socket;
  readonly replies: readonly ControlReply[];
  send(text: string | Uint8Array): void;
  ask(id: number, method: string, params?: unknown): Promise<ControlReply>;
  /** The first reply that `matches`. */
  until(matches: (reply: ControlReply) => boolean): Promise<ControlReply>;
  readonly closed: Promise<unknown>;
}

export async function openRawClient(socketPath: string): Promise<RawClient> {
  const socket = connect(socketPath);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  await once(socket, 'connect');
  const replies: ControlReply[] = [];
  let rest = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) replies.push(JSON.parse(line));
  });
  const until = (matches: (reply: ControlReply) => boolean) =>
    waitUntil(() => replies.find(matches), {
      what: `a reply among ${JSON.stringify(replies).slice(0, 500)}`,
    });
  return {
    socket,
    replies,
    closed,
    until,
    send: (text) => void socket.write(text),
    ask: (id, method, params = {}) => {
      socket.write(`${JSON.stringify({ v: 1, id, method, params })}\n`);
      return until((reply) => reply.id === id && !('item' in reply));
    },
  };
}

/** Counts the connections of the supervisor as the system reports them; see proc_pid_net_unix in proc(5). */
export function connectionCount(socketPath: string): number {
  const lines = readFileSync('/proc/net/unix', 'utf8').split('\n');
  return lines.filter((line) => line.endsWith(` ${socketPath}`) && / 0001 03 +\d+ /.test(line)).length;
}

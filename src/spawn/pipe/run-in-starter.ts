import { setTimeout } from 'node:timers/promises';
import type { BackendCommand } from '../../../machines/process/events.ts';
import type { Cancel, Clock } from '../../clock/clock.ts';
import { pause } from '../../clock/pause.ts';
import { toErrorText } from '../../config/error-text.ts';
import type { BackendPort, SpawnRequest } from '../backend.ts';
import type { ChildDeps } from '../child-control.ts';
import { toCookie } from '../environment.ts';
import { createInputPipe, type InputPipe } from '../input/input-pipe.ts';
import type { PipePool } from '../input/pipe-pool.ts';
import { refuseAll } from '../refusals.ts';
import { toSpawnFailure } from '../spawn-failure.ts';
import type { Starter } from '../starter/starter.ts';
import {
  type StarterChild,
  StarterEnded,
  type StarterStdio,
  type StartOrder,
} from '../starter/starter-process.ts';
import { ownsPid, type ProcessIdentity } from '../tree/identity.ts';
import type { ProcessTable } from '../tree/process-table.ts';
import type { FifoPool } from './fifo-pool.ts';
import { createOutputPipe } from './output-pipe.ts';
import { openSources, type Pipes, superviseChild, toJoined } from './supervise-child.ts';
import type { SpawnedChild } from './watch-exit.ts';

interface StarterRun {
  readonly deps: ChildDeps;
  readonly starter: Starter;
  readonly fifos: FifoPool;
  readonly inputs: PipePool;
  /** Starts the command as a child of this program. */
  readonly runHere: (port: BackendPort, pipes: Pipes) => Cancel;
}

/** Runs an attempt whose start takes more than one turn: commands wait for it. */
export function runLater(port: BackendPort, run: (port: BackendPort) => Promise<Cancel>): Cancel {
  const waiting: BackendCommand[] = [];
  let listener = (command: BackendCommand): void => void waiting.push(command);
  let isCanceled = false;
  let cancel: Cancel = () => {
    isCanceled = true;
  };
  port.onCommand((command) => listener(command));
  const onCommand: BackendPort['onCommand'] = (next) => {
    listener = next;
    for (const command of waiting.splice(0)) next(command);
  };
  run({ ...port, onCommand }).then(
    (started) => {
      cancel = started;
      if (isCanceled) started();
    },
    (error: unknown) =>
      port.tell({ type: 'process.lost', why: `its start broke off: ${toErrorText(error)}` }),
  );
  return () => cancel();
}

/** Starts the command as a child of the starter, or of this program where the starter has ended. */
export async function runInStarter(port: BackendPort, run: StarterRun): Promise<Cancel> {
  const { request } = port;
  const { deps } = run;
  const pipes = await makePipes(port, run);
  const stdio = toStdio(pipes);
  if (stdio === null) return run.runHere(port, pipes);
  const cgroup = deps.cgroups?.open(request) ?? null;
  const start = async () => {
    const command = toJoined(request, cgroup);
    if (command instanceof Error) throw command;
    return run.starter.start({ command, cwd: request.cwd, env: request.env, stdio });
  };
  const child = await startOnce(request.id, { table: deps.table, start });
  if (!(child instanceof Error)) return supervise(child, { port, deps, pipes, cgroup });
  if (cgroup !== null) deps.cgroups?.remove(cgroup);
  if (child instanceof StarterEnded) return run.runHere(port, pipes);
  openSources(null, pipes);
  pipes.stdin.open(child);
  refuseAll(port);
  port.tell(await toSpawnFailure(child, request));
  return () => {};
}

/** Programs that make pipes: they wait for their input. */
const helper = { cwd: '/', env: {}, stdio: ['held', 'ignore', 'ignore'] } as const;

export async function makeInput(
  { stdin }: SpawnRequest,
  { starter, inputs }: Pick<StarterRun, 'starter' | 'inputs'>,
): Promise<InputPipe> {
  const startShell = async (command: StartOrder['command']) =>
    (await starter.start({ ...helper, command })).pid;
  const input = stdin === 'end' ? null : await inputs.takeWith(startShell);
  return createInputPipe(stdin, { take: () => input });
}

async function makePipes({ request }: BackendPort, { starter, fifos, inputs }: StarterRun): Promise<Pipes> {
  const mkfifo = async (args: readonly string[]) => {
    const env = { PATH: process.env['PATH'] ?? '/bin:/usr/bin' };
    const { exited } = await starter.start({ ...helper, env, command: ['mkfifo', ...args] });
    await exited;
  };
  return {
    stdin: await makeInput(request, { starter, inputs }),
    stdout: createOutputPipe(await fifos.takeWith(mkfifo)),
    stderr: createOutputPipe(await fifos.takeWith(mkfifo)),
  };
}

/** Descriptors of a child by number; `null` where Node would have to make a socket. */
function toStdio({ stdin, stdout, stderr }: Pipes): readonly StarterStdio[] | null {
  if (stdin.stdio === 'pipe' || stdout.stdio === 'pipe' || stderr.stdio === 'pipe') return null;
  const input = stdin.stdio === 'ignore' ? stdin.stdio : ({ fd: stdin.stdio, access: 'read' } as const);
  return [input, { fd: stdout.stdio, access: 'write' }, { fd: stderr.stdio, access: 'write' }];
}

/** Starts a program at most once. Returns `StarterEnded` where the starter ended and has not started it. */
export async function startOnce(
  id: string,
  { table, start }: { readonly table: ProcessTable; readonly start: () => Promise<StarterChild> },
): Promise<StarterChild | Error> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof StarterEnded) return (await findStarted(id, table)) ?? error;
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Number of looks for a command: in the middle of `execve` it shows no environment. */
const LOOKS = 5;
const LOOK_PAUSE_MS = 20;

/** Finds the program that a starter started right before its end; `null` if it started none. */
async function findStarted(id: string, table: ProcessTable): Promise<StarterChild | null> {
  for (let look = 0; look < LOOKS; look += 1) {
    const carriers = await table.filterCarriers(toCookie(id), await table.list());
    const pids = new Set(carriers.map(({ pid }) => pid));
    const leader = carriers.find(({ pid, sid, ppid }) => pid === sid && !pids.has(ppid));
    if (leader !== undefined) {
      const { pid, startedAt: startTicks } = leader;
      return { pid, startTicks, exited: Promise.resolve(null), unref: () => {} };
    }
    await setTimeout(LOOK_PAUSE_MS);
  }
  return null;
}

/** Interval between checks of a leader whose exit no program reports. */
const LIVENESS_MS = 50;

async function supervise(
  child: StarterChild,
  {
    port,
    deps,
    pipes,
    cgroup,
  }: {
    readonly port: BackendPort;
    readonly deps: ChildDeps;
    readonly pipes: Pipes;
    readonly cgroup: string | null;
  },
): Promise<Cancel> {
  const { request, clock } = port;
  const { pid, startTicks: startedAt, exited } = child;
  const spawned: SpawnedChild = {
    pid,
    stdin: null,
    once: (_event, listener) =>
      void exited.then((exit) => {
        if (exit !== null) listener(exit.code, exit.signal as NodeJS.Signals | null);
      }),
  };
  const sources = openSources(noStreams, pipes);
  const stdin = pipes.stdin.open(spawned);
  if (sources === null) throw new Error('a pipe of the starter is missing');
  const { bootId, pidNamespace } = await deps.table.scope();
  // The starter may have collected its exit by now, so it is not looked at again.
  const identity: ProcessIdentity = {
    ...{ pid, pgid: pid, sid: pid, startedAt, bootId, pidNamespace },
    ...{ cookie: toCookie(request.id), cgroup },
  };
  const identifyLeader = async () => identity;
  const { cancel, lose } = superviseChild(spawned, { port, deps, sources, stdin, cgroup, identifyLeader });
  const aborter = new AbortController();

  async function watchOrphan(): Promise<void> {
    if ((await exited) !== null) return;
    await waitUntilDead({ pid, startedAt }, { ...deps, clock, signal: aborter.signal });
    if (aborter.signal.aborted) return;
    stdin?.destroy();
    lose('its exit is unknown: the starter process that would have reported it ended first');
  }

  watchOrphan().catch((error: unknown) => {
    if (!aborter.signal.aborted) deps.reportError(error);
  });
  return () => {
    aborter.abort();
    cancel();
  };
}

/** Waits for the end of a process whose exit no program reports. Rejects once `signal` is aborted. */
export async function waitUntilDead(
  process: Pick<ProcessIdentity, 'pid' | 'startedAt'>,
  { table, clock, signal }: { table: ProcessTable; clock: Clock; signal: AbortSignal },
): Promise<void> {
  for (;;) {
    const entry = await table.read(process.pid);
    if (entry?.alive !== true || !ownsPid(process, entry)) return;
    await pause(clock, { ms: LIVENESS_MS, signal });
  }
}

/** Pipes are no streams of the child. */
const noStreams = { stdout: null, stderr: null };

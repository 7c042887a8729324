import type { Cancel } from '../../clock/clock.ts';
import type { BackendPort } from '../backend.ts';
import type { ChildDeps } from '../child-control.ts';
import { toCookie } from '../environment.ts';
import type { PipePool } from '../input/pipe-pool.ts';
import { refuseAll } from '../refusals.ts';
import { toSpawnFailure } from '../spawn-failure.ts';
import { followChild, startOnce, unknownExit } from '../starter/start-once.ts';
import type { Starter } from '../starter/starter.ts';
import { makeInput, pipeMaker } from '../starter/starter-input.ts';
import { type StarterChild, StarterEnded, type StarterStdio } from '../starter/starter-process.ts';
import type { ProcessIdentity } from '../tree/identity.ts';
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

async function makePipes({ request }: BackendPort, { starter, fifos, inputs }: StarterRun): Promise<Pipes> {
  const mkfifo = async (args: readonly string[]) => {
    const env = { PATH: process.env['PATH'] ?? '/bin:/usr/bin' };
    const { exited } = await starter.start({ ...pipeMaker, env, command: ['mkfifo', ...args] });
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
  const { table, reportError } = deps;
  const { pid, startTicks: startedAt } = child;
  let report: Parameters<SpawnedChild['once']>[1] = () => {};
  const spawned: SpawnedChild = {
    pid,
    stdin: null,
    once: (_event, listener) => {
      report = listener;
    },
  };
  const sources = openSources(noStreams, pipes);
  const stdin = pipes.stdin.open(spawned);
  if (sources === null) throw new Error('a pipe of the starter is missing');
  const { bootId, pidNamespace } = await table.scope();
  // The starter may have collected its exit by now, so it is not looked at again.
  const identity: ProcessIdentity = {
    ...{ pid, pgid: pid, sid: pid, startedAt, bootId, pidNamespace },
    ...{ cookie: toCookie(request.id), cgroup },
  };
  const identifyLeader = async () => identity;
  const { cancel, lose } = superviseChild(spawned, { port, deps, sources, stdin, cgroup, identifyLeader });
  const unfollow = followChild(child, {
    ...{ table, clock, reportError },
    onExit: (exit) => {
      if (exit !== null) return report(exit.code, exit.signal as NodeJS.Signals | null);
      stdin?.destroy();
      lose(unknownExit);
    },
  });
  return () => {
    unfollow();
    cancel();
  };
}

/** Pipes are no streams of the child. */
const noStreams = { stdout: null, stderr: null };

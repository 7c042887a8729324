import type { ChildProcess } from 'node:child_process';
import type { Cancel } from '../../clock/clock.ts';
import type { Backend, BackendPort, SpawnRequest } from '../backend.ts';
import type { ChildDeps } from '../child-control.ts';
import { createInputPipe } from '../input/input-pipe.ts';
import { createPipePool } from '../input/pipe-pool.ts';
import { refuseAll } from '../refusals.ts';
import { toSpawnFailure } from '../spawn-failure.ts';
import { startChild } from '../start-child.ts';
import { runLater } from '../starter/run-later.ts';
import { identify } from '../tree/identity.ts';
import type { TreeDeps } from '../tree/tree-registry.ts';
import { createFifoPool } from './fifo-pool.ts';
import { createOutputPipe } from './output-pipe.ts';
import { runInStarter } from './run-in-starter.ts';
import { openSources, type Pipes, superviseChild, toJoined } from './supervise-child.ts';

/** Runs commands with their output in pipes, each in its own session and group. */
export function createPipeBackend(treeDeps: TreeDeps): Backend {
  const fifos = createFifoPool();
  const inputs = createPipePool();
  const deps = { ...treeDeps, leaders: new Set<number>() };
  const { starter } = deps;
  return {
    mode: 'pipe',
    capabilities: {
      input: true,
      terminal: false,
      osProcesses: true,
      separateStreams: true,
      durable: false,
      limits: true,
    },
    run: (port) => {
      // Before the start: this program may die in the same turn.
      deps.trees.prepare();
      if (starter?.isUsed())
        return runLater(port, (later) =>
          runInStarter(later, {
            ...{ deps, starter, fifos, inputs },
            runHere: (here, pipes) => runHere(here, { deps, pipes }),
          }),
        );
      const pipes = {
        stdin: createInputPipe(port.request.stdin, inputs),
        stdout: createOutputPipe(fifos.take()),
        stderr: createOutputPipe(fifos.take()),
      };
      return runHere(port, { deps, pipes });
    },
    close: () => {
      fifos.close();
      inputs.close();
    },
  };
}

/** Starts the command as a child of this program. */
function runHere(
  port: BackendPort,
  { deps, pipes }: { readonly deps: ChildDeps; readonly pipes: Pipes },
): Cancel {
  const { request } = port;
  const cgroup = deps.cgroups?.open(request) ?? null;
  const child = trySpawn(request, { pipes, cgroup });
  const isStarted = !(child instanceof Error) && isSpawned(child);
  const sources = openSources(isStarted ? child : null, pipes);
  const stdin = pipes.stdin.open(child);
  if (isStarted && sources !== null) {
    const identifyLeader = () => identify(deps.table, { pid: child.pid, id: request.id, cgroup });
    // Reports a failed kill or a broken channel; the exit that follows is what counts.
    child.on('error', deps.reportError);
    return superviseChild(child, { port, deps, sources, stdin, cgroup, identifyLeader }).cancel;
  }
  if (cgroup !== null) deps.cgroups?.remove(cgroup);
  return reportFailure(child, port);
}

/** Starts the child. Returns the error that `spawn` throws, or a child without a pid that will emit one. */
function trySpawn(
  request: SpawnRequest,
  { pipes, cgroup }: { readonly pipes: Pipes; readonly cgroup: string | null },
): ChildProcess | Error {
  const { stdin, stdout, stderr } = pipes;
  const stdio = [stdin.stdio, stdout.stdio, stderr.stdio];
  try {
    const command = toJoined(request, cgroup);
    if (command instanceof Error) return command;
    const [file, ...args] = command;
    return startChild(file, args, { cwd: request.cwd, env: request.env, detached: true, stdio });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function isSpawned(child: ChildProcess): child is ChildProcess & { readonly pid: number } {
  return child.pid !== undefined;
}

function reportFailure(child: ChildProcess | Error, port: BackendPort): Cancel {
  const tell = async (error: unknown) => port.tell(await toSpawnFailure(error, port.request));
  refuseAll(port);
  if (child instanceof Error) void tell(child);
  else child.once('error', tell);
  return () => {};
}

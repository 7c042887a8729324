import type { ChildProcess, SpawnOptions } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Cancel } from '../../clock/clock.ts';
import type { Backend, BackendPort } from '../backend.ts';
import { joinCgroup, toHeldBy } from '../cgroup/join-cgroup.ts';
import { findStartError } from '../check-start.ts';
import { type ChildDeps, createChildControl } from '../child-control.ts';
import { toCommand } from '../command-line.ts';
import { createInputPipe, type InputPipe } from '../input/input-pipe.ts';
import { createInputWriter } from '../input/input-writer.ts';
import { createPipePool } from '../input/pipe-pool.ts';
import { noInput, refuseAll } from '../refusals.ts';
import { toSpawnFailure } from '../spawn-failure.ts';
import { startChild } from '../start-child.ts';
import { identify } from '../tree/identity.ts';
import type { TreeDeps } from '../tree/tree-registry.ts';
import { createFifoPool } from './fifo-pool.ts';
import { createOutputPipe, type OutputPipe, type OutputSources, pipeOutput } from './output-pipe.ts';
import { type SpawnedChild, watchExit } from './watch-exit.ts';

type Pipes = Readonly<Record<'stdout' | 'stderr', OutputPipe>> & { readonly stdin: InputPipe };

/** Runs commands with their output in pipes, each in its own session and group. */
export function createPipeBackend(treeDeps: TreeDeps): Backend {
  const fifos = createFifoPool();
  const inputs = createPipePool();
  const deps = { ...treeDeps, leaders: new Set<number>() };
  return {
    mode: 'pipe',
    capabilities: { input: true, terminal: false, osProcesses: true, separateStreams: true, durable: false },
    run: (port) => {
      // Before the start: this program may die in the same turn.
      deps.trees.prepare();
      const pipes = {
        stdin: createInputPipe(port.request.stdin, inputs),
        stdout: createOutputPipe(fifos),
        stderr: createOutputPipe(fifos),
      };
      const cgroup = deps.cgroups?.open(port.request) ?? null;
      const child = trySpawn(port, { pipes, cgroup });
      const sources = openSources(child, pipes);
      const stdin = pipes.stdin.open(child);
      if (isSpawned(child) && sources !== null)
        return supervise(child, { port, deps, sources, stdin, cgroup });
      if (cgroup !== null) deps.cgroups?.remove(cgroup);
      return reportFailure(child, port);
    },
    close: () => {
      fifos.close();
      inputs.close();
    },
  };
}

/** Starts the child. Returns the error that `spawn` throws, or a child without a pid that will emit one. */
function trySpawn(
  { request }: BackendPort,
  { pipes, cgroup }: { readonly pipes: Pipes; readonly cgroup: string | null },
): ChildProcess | Error {
  const { cwd, env } = request;
  const { stdin, stdout, stderr } = pipes;
  const stdio = [stdin.stdio, stdout.stdio, stderr.stdio];
  const options: SpawnOptions = { cwd, env, detached: true, stdio };
  try {
    const command = toCommand(request.work, 'pipe');
    if (cgroup === null) return startChild(command[0], command.slice(1), options);
    const refusal = findStartError(command, request);
    if (refusal !== null) return refusal;
    const [file, ...args] = joinCgroup(cgroup, { command, env });
    return startChild(file, args, options);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Opens our ends of the output. After a failed start they are drained to their end. */
function openSources(child: ChildProcess | Error, pipes: Pipes): OutputSources | null {
  const own = child instanceof Error ? { stdout: null, stderr: null } : child;
  const stdout = pipes.stdout.open(own.stdout);
  const stderr = pipes.stderr.open(own.stderr);
  if (stdout !== null && stderr !== null && isSpawned(child)) return { stdout, stderr };
  for (const source of [stdout, stderr]) source?.resume();
  return null;
}

function isSpawned(child: ChildProcess | Error): child is SpawnedChild {
  return !(child instanceof Error) && child.pid !== undefined;
}

function reportFailure(child: ChildProcess | Error, port: BackendPort): Cancel {
  const tell = async (error: unknown) => port.tell(await toSpawnFailure(error, port.request));
  refuseAll(port);
  if (child instanceof Error) void tell(child);
  else child.once('error', tell);
  return () => {};
}

function supervise(
  child: SpawnedChild,
  {
    port,
    deps,
    sources,
    stdin,
    cgroup,
  }: {
    port: BackendPort;
    deps: ChildDeps;
    sources: OutputSources;
    stdin: Writable | null;
    cgroup: string | null;
  },
): Cancel {
  const { table } = deps;
  const { request, clock } = port;
  const letProgramEnd = () => {
    // A closed socket would add a listener for its connection at each call.
    for (const source of Object.values(sources) as Unrefable[]) if (!source.destroyed) source.unref?.();
  };
  const control = createChildControl(child.pid, {
    port,
    deps,
    identifyLeader: () => identify(table, { pid: child.pid, id: request.id, cgroup }),
    input: stdin === null ? noInput : createInputWriter(stdin, clock),
    onLeftovers: letProgramEnd,
  });

  pipeOutput(sources, { sink: port.output, onEnded: () => port.tell({ type: 'output.ended' }) });
  deps.leaders.add(child.pid);
  watchExit(child, {
    sources,
    onExit: (exit, facts) => {
      deps.leaders.delete(child.pid);
      control.leaderExited();
      port.tell({ type: 'process.exited', exit, facts });
    },
  });
  // Reports a failed kill or a broken channel; the exit that follows is what counts.
  child.on('error', deps.reportError);
  port.onCommand(control.execute);
  port.tell({ type: 'process.spawned', pid: child.pid, pgid: child.pid, held: toHeldBy(cgroup) });

  return () => {
    control.detach();
    letProgramEnd();
  };
}

/** Socket, in fact; the type of `ChildProcess.stdout` does not say so. */
type Unrefable = Readable & { unref?(): void };

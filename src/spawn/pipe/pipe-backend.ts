import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { ProcessSignal } from '../../../machines/process/context.ts';
import type { Cancel } from '../../clock/clock.ts';
import type { Backend, BackendPort } from '../backend.ts';
import { toSpawnFailure } from '../spawn-failure.ts';
import { createChildControl } from './child-control.ts';
import type { PipeWorld, SpawnedChild } from './pipe-world.ts';
import { pourOutput } from './pour-output.ts';

/** Runs commands of the operating system, their output in pipes, each in a session and group of its own. */
export function createPipeBackend(parts: Omit<PipeWorld, 'leaders'>): Backend {
  const world = { ...parts, leaders: new Set<number>() };
  return {
    mode: 'pipe',
    capabilities: { input: true, terminal: false, osProcesses: true },
    run: (port) => {
      const child = trySpawn(port);
      return isSpawned(child) ? supervise(child, { port, world }) : reportFailure(child, port);
    },
  };
}

/** An error where `spawn` throws; a child without a pid where it will emit one. */
function trySpawn({ request }: BackendPort): ChildProcess | Error {
  const { work, cwd, env } = request;
  const stdin = request.stdin === 'pipe' ? 'pipe' : 'ignore';
  const options = { cwd, env, detached: true, stdio: [stdin, 'pipe', 'pipe'] } as const;
  try {
    if (work.type === 'argv') return spawn(work.file, work.args, { ...options, stdio: [...options.stdio] });
    if (work.type === 'shell')
      return spawn(work.shell, ['-c', work.script], { ...options, stdio: [...options.stdio] });
    return new Error('the pipe backend runs commands, not functions');
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function isSpawned(child: ChildProcess | Error): child is SpawnedChild {
  return !(child instanceof Error) && child.pid !== undefined;
}

function reportFailure(child: ChildProcess | Error, port: BackendPort): Cancel {
  const tell = async (error: unknown) => port.tell(await toSpawnFailure(error, port.request));
  if (child instanceof Error) void tell(child);
  else child.once('error', tell);
  return () => {};
}

function supervise(child: SpawnedChild, { port, world }: { port: BackendPort; world: PipeWorld }): Cancel {
  const control = createChildControl(child, { port, world });

  const { stdout, stderr } = child;
  pourOutput({ stdout, stderr }, { sink: port.output, onEnded: () => port.tell({ type: 'output.ended' }) });
  world.leaders.add(child.pid);
  child.once('exit', (code, signal) => {
    world.leaders.delete(child.pid);
    control.leaderExited();
    port.tell({ type: 'process.exited', exit: { code, signal: signal as ProcessSignal | null } });
  });
  // A failed kill or a broken channel is told here; the exit that follows is what counts.
  child.on('error', world.reportError);
  port.onCommand(control.obey);
  port.tell({ type: 'process.spawned', pid: child.pid, pgid: child.pid });

  return () => {
    control.release();
    // What is left behind may hold the pipes for ever; reading them must not keep this program alive.
    for (const pipe of [stdout, stderr]) (pipe as Readable & { unref?(): void }).unref?.();
  };
}

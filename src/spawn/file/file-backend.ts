import type { ChildProcess } from 'node:child_process';
import type { Cancel } from '../../clock/clock.ts';
import type { Backend, BackendPort, SpawnRequest } from '../backend.ts';
import { createInputPipe } from '../pipe/input-pipe.ts';
import { createPipePool } from '../pipe/pipe-pool.ts';
import { refuseAll } from '../refuse-all.ts';
import { toSpawnFailure } from '../spawn-failure.ts';
import { adoptLaunched } from './adopt-launched.ts';
import type { FileWorld } from './file-world.ts';
import { findLauncherTools, type LauncherTools, launch } from './launcher.ts';
import { runLaunched } from './run-launched.ts';
import { toFileFailure, UnusableFile } from './unusable-file.ts';

type FileRequest = SpawnRequest & { readonly files: NonNullable<SpawnRequest['files']> };

/**
 * Runs commands that outlive this program. Each writes its output into a file of its own, and a small shell beside it writes down how
 * it ended; both go on when this program ends, be it by SIGKILL, and another one adopts them.
 *
 * There is no gate that a start waits at: the order of writes is the gate. The supervisor saves its record before `run` is
 * called, and the launcher writes down who it starts before that becomes the command. So whatever is alive can be found.
 */
export function createFileBackend(world: FileWorld): Backend {
  let tools = world.tools ?? null;
  const inputs = createPipePool();
  const findTools = (): LauncherTools => {
    tools ??= findLauncherTools();
    return tools;
  };
  return {
    mode: 'file',
    capabilities: { input: true, terminal: false, osProcesses: true, separateStreams: false, durable: true },
    run: (port) => {
      const { request } = port;
      const refuse = (error: unknown) => {
        refuseAll(port);
        return reportFailure(error, port);
      };
      if (!hasFiles(request)) return refuse(new Error('the file backend needs "files" for log and status'));
      // Before it is there: this program may be gone in the same turn, and its watchdog must know.
      world.trees.spare(request.id);
      const input = createInputPipe(request.stdin, inputs);
      const child = tryLaunch(request, { tools: findTools(), stdin: input.stdio });
      const stdin = input.open(child);
      if (child instanceof Error) return refuse(child);
      if (child.pid !== undefined)
        return runLaunched(child, { port, world, statusPath: request.files.status, stdin });
      refuseAll(port);
      child.once('error', (error) => reportFailure(error, port));
      return () => {};
    },
    adopt: (port) => {
      const { request } = port;
      if (!hasFiles(request)) {
        refuseAll(port);
        port.tell({
          type: 'process.lost',
          why: 'its record names no file in which its end would be written',
        });
        return () => {};
      }
      world.trees.spare(request.id);
      return adoptLaunched({ port, world, statusPath: request.files.status });
    },
    close: inputs.close,
  };
}

function tryLaunch(...start: Parameters<typeof launch>): ChildProcess | Error {
  try {
    return launch(...start);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function hasFiles(request: SpawnRequest): request is FileRequest {
  return request.files !== null;
}

function reportFailure(error: unknown, port: BackendPort): Cancel {
  if (error instanceof UnusableFile) {
    // Never in the turn of `run`: whoever called it does not listen yet.
    queueMicrotask(() => port.tell(toFileFailure(error, port.request)));
  } else void toSpawnFailure(error, port.request).then(port.tell);
  return () => {};
}

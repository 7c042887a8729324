import type { ChildProcess } from 'node:child_process';
import type { Cancel } from '../../clock/clock.ts';
import type { Backend, BackendPort, SpawnRequest } from '../backend.ts';
import { createInputPipe, type InputPipe } from '../input/input-pipe.ts';
import { createPipePool } from '../input/pipe-pool.ts';
import { refuseAll } from '../refusals.ts';
import { toSpawnFailure } from '../spawn-failure.ts';
import { runLater } from '../starter/run-later.ts';
import type { TreeDeps } from '../tree/tree-registry.ts';
import { adoptLaunched } from './adopt-launched.ts';
import { type FilePort, launchInStarter } from './launch-in-starter.ts';
import { findLauncherTools, type LauncherTools, launch } from './launcher.ts';
import { runLaunched } from './run-launched.ts';
import { toFileFailure, UnusableFile } from './unusable-file.ts';

/**
 * Runs commands that outlive this program. Each writes its output into its own file, and a small shell beside it records how
 * it ended; both survive the end of this program, even by SIGKILL, and another supervisor adopts them.
 *
 * The order of writes replaces a lock: the supervisor saves its record before it calls `run`, and the launcher records the pid of
 * the command before that pid becomes the command. So every live process can be found.
 */
export function createFileBackend(deps: TreeDeps & { readonly tools?: LauncherTools }): Backend {
  const { trees } = deps;
  let tools = deps.tools ?? null;
  const inputs = createPipePool();
  const findTools = (): LauncherTools => {
    tools ??= findLauncherTools();
    return tools;
  };

  function launchHere(port: FilePort, input: InputPipe): Cancel {
    const { request } = port;
    const cgroup = deps.cgroups?.open(request) ?? null;
    const child = tryLaunch(request, { tools: findTools(), stdin: input.stdio, cgroup });
    const stdin = input.open(child);
    if (!(child instanceof Error) && child.pid !== undefined)
      return runLaunched(child, { port, deps, statusPath: request.files.status, stdin, cgroup });
    if (cgroup !== null) deps.cgroups?.remove(cgroup);
    if (child instanceof Error) return refuse(child, port);
    refuseAll(port);
    child.once('error', (error) => reportFailure(error, port));
    return () => {};
  }

  return {
    mode: 'file',
    capabilities: {
      input: true,
      terminal: false,
      osProcesses: true,
      separateStreams: false,
      durable: true,
      limits: true,
    },
    run: (port) => {
      const { request } = port;
      if (!hasFiles(request))
        return refuse(new Error('the file backend needs "files" for log and status'), port);
      // Before the start: this program may die in the same turn, and its watchdog must know by then.
      trees.exempt(request.id);
      const { starter } = deps;
      if (starter?.isUsed())
        return runLater(port, (later) =>
          launchInStarter(
            { ...later, request },
            { deps, starter, tools: findTools(), inputs, launchHere, refuse },
          ),
        );
      return launchHere({ ...port, request }, createInputPipe(request.stdin, inputs));
    },
    adopt: (port) => {
      const { request } = port;
      if (!hasFiles(request)) {
        refuseAll(port);
        port.tell({
          type: 'process.lost',
          why: 'its record names no status file',
        });
        return () => {};
      }
      trees.exempt(request.id);
      return adoptLaunched({ port, deps, statusPath: request.files.status });
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

function refuse(error: unknown, port: BackendPort): Cancel {
  refuseAll(port);
  return reportFailure(error, port);
}

function hasFiles(request: SpawnRequest): request is FilePort['request'] {
  return request.files !== null;
}

function reportFailure(error: unknown, port: BackendPort): Cancel {
  if (error instanceof UnusableFile) {
    // Not in the turn of `run`: its caller does not listen yet.
    queueMicrotask(() => port.tell(toFileFailure(error, port.request)));
  } else void toSpawnFailure(error, port.request).then(port.tell);
  return () => {};
}

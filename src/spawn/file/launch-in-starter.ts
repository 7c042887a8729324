import type { ExitStatus } from '../../../machines/process/context.ts';
import type { Cancel } from '../../clock/clock.ts';
import type { BackendPort, SpawnRequest } from '../backend.ts';
import type { InputPipe } from '../input/input-pipe.ts';
import type { PipePool } from '../input/pipe-pool.ts';
import { followChild, startOnce } from '../starter/start-once.ts';
import type { Starter } from '../starter/starter.ts';
import { makeInput } from '../starter/starter-input.ts';
import { type StarterChild, StarterEnded } from '../starter/starter-process.ts';
import type { TreeDeps } from '../tree/tree-registry.ts';
import { type LauncherTools, prepareLaunch } from './launcher.ts';
import { type LauncherChild, runLaunched } from './run-launched.ts';

/** Port of an attempt with files. */
export type FilePort = BackendPort & {
  readonly request: SpawnRequest & { readonly files: NonNullable<SpawnRequest['files']> };
};

interface StarterLaunch {
  readonly deps: TreeDeps;
  readonly starter: Starter;
  readonly tools: LauncherTools;
  readonly inputs: PipePool;
  /** Starts the launcher as a child of this program. */
  readonly launchHere: (port: FilePort, input: InputPipe) => Cancel;
  readonly refuse: (error: unknown, port: BackendPort) => Cancel;
}

/** Starts the launcher as a child of the starter, or of this program where the starter has ended. */
export async function launchInStarter(port: FilePort, launch: StarterLaunch): Promise<Cancel> {
  const { request } = port;
  const { deps, launchHere, refuse } = launch;
  const input = await makeInput(request, launch);
  if (input.stdio === 'pipe') return launchHere(port, input);
  const cgroup = deps.cgroups?.open(request) ?? null;
  const how = { ...launch, stdin: input.stdio, cgroup };
  const start = () => startLauncher(port, how);
  const child = await startOnce(request.id, { table: deps.table, start });
  if (!(child instanceof Error)) {
    const { launcher, cancel } = toLauncher(child, { port, deps });
    const stdin = input.open(launcher);
    const detach = runLaunched(launcher, { port, deps, statusPath: request.files.status, stdin, cgroup });
    return () => {
      cancel();
      detach();
    };
  }
  if (cgroup !== null) deps.cgroups?.remove(cgroup);
  if (child instanceof StarterEnded) return launchHere(port, input);
  input.open(child);
  return refuse(child, port);
}

async function startLauncher(
  { request }: FilePort,
  {
    starter,
    tools,
    stdin,
    cgroup,
  }: StarterLaunch & { readonly stdin: 'ignore' | number; readonly cgroup: string | null },
): Promise<StarterChild> {
  const { command, argv0, log, status, close } = prepareLaunch(request, { tools, cgroup });
  try {
    const input = stdin === 'ignore' ? stdin : ({ fd: stdin, access: 'read' } as const);
    const stdio = [input, { fd: log, access: 'append' }, { fd: status, access: 'append' }] as const;
    const { cwd, env } = request;
    return await starter.start({ command, argv0, cwd, env, stdio });
  } finally {
    close();
  }
}

function toLauncher(
  child: StarterChild,
  { port, deps }: { readonly port: BackendPort; readonly deps: TreeDeps },
): { readonly launcher: LauncherChild; readonly cancel: Cancel } {
  const { pid, startTicks: startedAt, unref } = child;
  const { table, reportError } = deps;
  let report: Parameters<LauncherChild['once']>[1] = () => {};
  const onExit = (exit: ExitStatus | null) => report(exit?.code ?? null, exit?.signal ?? null);
  const launcher: LauncherChild = {
    ...{ pid, startedAt, stdin: null, unref },
    once: (_event, listener) => {
      report = listener;
    },
    on: () => {},
  };
  return { launcher, cancel: followChild(child, { table, clock: port.clock, reportError, onExit }) };
}

import type { Readable, Writable } from 'node:stream';
import type { Cancel } from '../../clock/clock.ts';
import type { BackendPort, SpawnRequest } from '../backend.ts';
import { toHeldBy } from '../cgroup/join-cgroup.ts';
import { findStartError } from '../check-start.ts';
import { type ChildDeps, createChildControl } from '../child-control.ts';
import { toCommand } from '../command-line.ts';
import { toExitFact } from '../exit-fact.ts';
import type { InputPipe } from '../input/input-pipe.ts';
import { createInputWriter } from '../input/input-writer.ts';
import { toLimited } from '../limits.ts';
import { noInput } from '../refusals.ts';
import type { ProcessIdentity } from '../tree/identity.ts';
import { type OutputPipe, type OutputSources, pipeOutput } from './output-pipe.ts';
import { type SpawnedChild, watchExit } from './watch-exit.ts';

/** Pipes of a child, created before its start. */
export type Pipes = Readonly<Record<'stdout' | 'stderr', OutputPipe>> & { readonly stdin: InputPipe };

/** Returns the command of a request, wrapped so that it joins the cgroup and has its limits, or why it cannot be started so. */
export function toJoined(
  request: SpawnRequest,
  cgroup: string | null,
): readonly [file: string, ...args: readonly string[]] | Error {
  const command = toCommand(request.work, 'pipe');
  const { limits, env } = request;
  if (cgroup === null && limits === null) return command;
  return findStartError(command, request) ?? toLimited(command, { limits, env, cgroup, joins: true });
}

/** Opens our ends of the output. Without a child they are drained to their end. */
export function openSources(
  child: Readonly<Record<'stdout' | 'stderr', Readable | null>> | null,
  pipes: Pipes,
): OutputSources | null {
  const stdout = pipes.stdout.open(child?.stdout ?? null);
  const stderr = pipes.stderr.open(child?.stderr ?? null);
  if (stdout !== null && stderr !== null && child !== null) return { stdout, stderr };
  for (const source of [stdout, stderr]) source?.resume();
  return null;
}

/** Child under supervision. */
interface Supervised {
  /** Ends the supervision where no exit will be reported. To be called once the leader is dead. */
  lose(why: string): void;
  readonly cancel: Cancel;
}

/** Pipes the output of a child, executes its commands and reports its exit. */
export function superviseChild(
  child: SpawnedChild,
  options: {
    readonly port: BackendPort;
    readonly deps: ChildDeps;
    readonly sources: OutputSources;
    readonly stdin: Writable | null;
    readonly cgroup: string | null;
    readonly identifyLeader: () => Promise<ProcessIdentity | null>;
  },
): Supervised {
  const { port, deps, sources, stdin } = options;
  const letProgramEnd = () => {
    // A closed socket would add a listener for its connection at each call.
    for (const source of Object.values(sources) as Unrefable[]) if (!source.destroyed) source.unref?.();
  };
  const control = createChildControl(child.pid, {
    port,
    deps,
    identifyLeader: options.identifyLeader,
    input: stdin === null ? noInput : createInputWriter(stdin, port.clock),
    onLeftovers: letProgramEnd,
  });
  const leave = () => {
    deps.leaders.delete(child.pid);
    control.leaderExited();
  };

  pipeOutput(sources, { sink: port.output, onEnded: () => port.tell({ type: 'output.ended' }) });
  deps.leaders.add(child.pid);
  watchExit(child, {
    sources,
    onExit: (exit, figures) => {
      leave();
      port.tell(toExitFact(exit, { request: port.request, cgroup: options.cgroup, figures }));
    },
  });
  port.onCommand(control.execute);
  const held = toHeldBy(options.cgroup);
  port.tell({ type: 'process.spawned', pid: child.pid, pgid: child.pid, held });

  return {
    lose: (why) => {
      leave();
      port.tell({ type: 'process.lost', why });
    },
    cancel: () => {
      control.detach();
      letProgramEnd();
    },
  };
}

/** Socket, in fact; the type of `ChildProcess.stdout` does not say so. */
type Unrefable = Readable & { unref?(): void };

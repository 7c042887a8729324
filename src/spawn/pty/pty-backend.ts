import type { ScreenCapture } from '../../../machines/process/terminal.ts';
import type { Cancel } from '../../clock/clock.ts';
import type { OutputSink } from '../../output/output-sink.ts';
import type { Backend, BackendPort, SpawnRequest, ToldFact } from '../backend.ts';
import { toHeldBy } from '../cgroup/join-cgroup.ts';
import { findStartError } from '../check-start.ts';
import { type ChildDeps, createChildControl } from '../child-control.ts';
import { toCommand } from '../command-line.ts';
import { toCookie } from '../environment.ts';
import { toExitFact } from '../exit-fact.ts';
import { toLimited } from '../limits.ts';
import { refuseAll } from '../refusals.ts';
import { toSpawnFailure } from '../spawn-failure.ts';
import { runLater } from '../starter/run-later.ts';
import { unknownExit } from '../starter/start-once.ts';
import type { Starter } from '../starter/starter.ts';
import { StarterEnded } from '../starter/starter-process.ts';
import { type Emulator, loadEmulator } from '../terminal/emulator.ts';
import { createScreen, type Screen } from '../terminal/screen.ts';
import { defaultSize, type TerminalDeps, type Unavailable } from '../terminal/terminal-deps.ts';
import { identify, type ProcessIdentity } from '../tree/identity.ts';
import type { ProcessTable } from '../tree/process-table.ts';
import { loadNativePty, type NativePty, type PtyCommand } from './native-pty.ts';
import { type PtyChild, startPtyChild } from './pty-child.ts';
import { createPtyInput, type PtyInput } from './pty-input.ts';
import { createPtyTerminal } from './pty-terminal.ts';
import { startInStarter } from './start-in-starter.ts';

interface PtyDeps extends ChildDeps {
  readonly native: NativePty;
  readonly emulator: Emulator;
}

/** Runs each command in its own terminal, which this program holds and which ends with it. */
export function createPtyBackend({
  table,
  trees,
  reportError,
  cgroups,
  starter,
}: TerminalDeps): Backend | Unavailable {
  const native = loadNativePty();
  if ('why' in native) return native;
  const emulator = loadEmulator();
  if ('why' in emulator) return emulator;
  const deps: PtyDeps = {
    ...{ table, trees, reportError, native, emulator, leaders: new Set<number>() },
    ...(cgroups !== undefined && { cgroups }),
    ...(starter !== undefined && { starter }),
  };
  return {
    mode: 'pty',
    capabilities: {
      input: true,
      terminal: true,
      osProcesses: true,
      separateStreams: false,
      durable: false,
      limits: true,
    },
    run: (port) => run(port, deps),
  };
}

function run(port: BackendPort, deps: PtyDeps): Cancel {
  const { request } = port;
  const { work } = request;
  if (work.type === 'function')
    return reportFailure(new Error('the pty backend runs commands, not functions'), port);
  const command = toCommand(work, 'pty');
  // A fork succeeds in any case: the command would complain on its terminal and end with code 1.
  const refusal = findStartError(command, request);
  if (refusal !== null) return reportFailure(refusal, port);
  // Before the start: this program may die in the same turn.
  deps.trees.prepare();
  const { starter } = deps;
  if (starter?.isUsed()) return runLater(port, (later) => runInStarter(later, { deps, command, starter }));
  return runHere(port, { deps, command });
}

type Command = readonly [file: string, ...args: readonly string[]];

/** Starts the command as a child of this program. */
function runHere(
  port: BackendPort,
  { deps, command }: { readonly deps: PtyDeps; readonly command: Command },
): Cancel {
  const { how, cgroup, limited } = prepareStart(port.request, { deps, command });
  const { cwd } = port.request;
  const child = limited instanceof Error ? limited : startPtyChild(toPtyCommand(limited), { ...how, cwd });
  return superviseStarted(child, { port, deps, cgroup });
}

/** Starts the command as a child of the starter, or of this program where the starter has ended. */
async function runInStarter(
  port: BackendPort,
  {
    deps,
    command,
    starter,
  }: { readonly deps: PtyDeps; readonly command: Command; readonly starter: Starter },
): Promise<Cancel> {
  const { how, cgroup, limited } = prepareStart(port.request, { deps, command });
  const child =
    limited instanceof Error
      ? limited
      : await startInStarter(toPtyCommand(limited), { ...how, port, deps, starter });
  if (!(child instanceof StarterEnded)) return superviseStarted(child, { port, deps, cgroup });
  if (cgroup !== null) deps.cgroups?.remove(cgroup);
  return runHere(port, { deps, command });
}

function prepareStart(
  request: SpawnRequest,
  { deps, command }: { readonly deps: PtyDeps; readonly command: Command },
) {
  const { native } = deps;
  const size = request.terminal ?? defaultSize;
  // TERM of our emulator, unless the caller named another.
  const env = { TERM: 'xterm-256color', ...request.env };
  const cgroup = deps.cgroups?.open(request) ?? null;
  const limited = toLimited(command, { limits: request.limits, env, cgroup, joins: true });
  return { how: { native, size, env }, cgroup, limited };
}

function superviseStarted(
  child: PtyChild | Error,
  {
    port,
    deps,
    cgroup,
  }: { readonly port: BackendPort; readonly deps: PtyDeps; readonly cgroup: string | null },
): Cancel {
  if (!(child instanceof Error)) return supervise(child, { port, deps, cgroup });
  if (cgroup !== null) deps.cgroups?.remove(cgroup);
  return reportFailure(child, port);
}

function toPtyCommand([file, ...args]: Command): PtyCommand {
  return { file, args };
}

function reportFailure(error: Error, port: BackendPort): Cancel {
  refuseAll(port);
  void toSpawnFailure(error, port.request).then(port.tell);
  return () => {};
}

function supervise(
  child: PtyChild,
  { port, deps, cgroup }: { port: BackendPort; deps: PtyDeps; cgroup: string | null },
): Cancel {
  const { request, clock } = port;
  const { emulator, leaders, reportError } = deps;
  let exited = false;
  const input = createPtyInput(child, clock);
  const screen = createScreen(request.terminal ?? defaultSize, { emulator, onAnswer: input.answer });
  const { output } = port;
  const terminal = createPtyTerminal(child, { screen, input, output, clock, hasExited: () => exited });
  /** Keeps the screen first: leftovers may hold the terminal for ever, so it may be the last one. */
  const keepAndTell = async (last: Promise<ScreenCapture>, fact: ToldFact) => {
    await last.then((screen) => port.keepScreen(screen)).catch(reportError);
    port.tell(fact);
  };
  const controlPort: BackendPort = {
    ...port,
    tell: (fact) => {
      if (exited && fact.type === 'output.quieted') void keepAndTell(terminal.takeLast(), fact);
      else port.tell(fact);
    },
  };
  const { pid } = child;
  const control = createChildControl(pid, {
    port: controlPort,
    deps,
    identifyLeader: (hasExited) => identifyLeader(deps.table, { pid, id: request.id, cgroup, hasExited }),
    input: toInputPort(input),
    onLeftovers: child.unref,
    terminal,
  });

  const end = () => void keepAndTell(terminal.close(), { type: 'output.ended' });
  pipeScreen(child, { sink: output, screen, onEnded: end });
  leaders.add(child.pid);
  void child.exited.then((status) => {
    exited = true;
    leaders.delete(child.pid);
    control.leaderExited();
    if (status === null) port.tell({ type: 'process.lost', why: unknownExit });
    else port.tell(toExitFact(status, { request, cgroup }));
  });
  port.onCommand(control.execute);
  port.tell({ type: 'process.spawned', pid: child.pid, pgid: child.pid, held: toHeldBy(cgroup) });

  return () => {
    control.detach();
    child.unref();
  };
}

/** Ctrl-D: a terminal takes it for the end of file at the beginning of a line, and has no other. */
const endOfFile = Buffer.from('\x04');

function toInputPort(input: PtyInput) {
  return {
    write: input.write,
    end: async () => {
      const result = await input.write(endOfFile);
      return { ...result, bytesWritten: 0 };
    },
  };
}

interface Leader {
  readonly pid: number;
  readonly id: string;
  readonly cgroup: string | null;
}

/**
 * Identifies the leader of a terminal that was just made. Waits until it has left our session and group: before that a signal for its
 * group would reach ours.
 */
async function identifyLeader(
  table: ProcessTable,
  leader: Leader & { readonly hasExited: () => boolean },
): Promise<ProcessIdentity> {
  const { pid, hasExited } = leader;
  for (;;) {
    const found = await identify(table, leader);
    if (found?.pgid === pid) return found;
    if (found === null || hasExited()) return unseenLeader(table, leader);
    // The child makes its own group at once.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Identifies a leader whose exit was collected by another thread before we could look. Its leftovers began after this program did. */
async function unseenLeader(table: ProcessTable, { pid, id, cgroup }: Leader): Promise<ProcessIdentity> {
  const ourselves = await identify(table, { pid: process.pid, id });
  const { bootId, pidNamespace } = await table.scope();
  const startedAt = ourselves?.startedAt ?? '0';
  return { pid, pgid: pid, sid: pid, startedAt, bootId, pidNamespace, cookie: toCookie(id), cgroup };
}

/**
 * Pipes a terminal into the sink and onto the screen, and calls `onEnded` once at its end. Reading is paused while either is
 * behind: drawing takes longer than printing, and the program then waits.
 */
function pipeScreen(
  child: PtyChild,
  { sink, screen, onEnded }: { sink: OutputSink; screen: Screen; onEnded: () => void },
): void {
  let holds = 0;
  const hold = (whenFree: (callback: () => void) => void) => {
    holds += 1;
    child.pause();
    whenFree(() => {
      holds -= 1;
      if (holds === 0) child.resume();
    });
  };
  child.read({
    onBytes: (bytes) => {
      // Before the sink: readers of the output look at the screen at once.
      if (!screen.feed(bytes)) hold((free) => screen.whenCaughtUp(free));
      if (!sink.write('screen', bytes)) hold((free) => sink.whenWritable(free));
    },
    onClosed: onEnded,
  });
}

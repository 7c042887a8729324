import type { ExitStatus } from '../../../machines/process/context.ts';
import type { ScreenCapture } from '../../../machines/process/terminal.ts';
import type { Cancel } from '../../clock/clock.ts';
import type { Backend, BackendPort, ToldFact } from '../backend.ts';
import { type ChildWorld, createChildControl } from '../child-control.ts';
import { refuseAll } from '../refuse-all.ts';
import { toSpawnFailure } from '../spawn-failure.ts';
import { type Emulator, loadEmulator } from '../terminal/emulator.ts';
import { createScreen } from '../terminal/screen.ts';
import type { TerminalWorld, Unavailable } from '../terminal/terminal-world.ts';
import { usualSize } from '../terminal/usual-size.ts';
import { checkStart } from './check-start.ts';
import { identifyLeader } from './identify-leader.ts';
import { loadNativePty, type NativePty } from './native-pty.ts';
import { pourScreen } from './pour-screen.ts';
import { type PtyChild, startPtyChild } from './pty-child.ts';
import { createPtyInput, type PtyInput } from './pty-input.ts';
import { createPtyTerminal } from './pty-terminal.ts';

interface PtyParts extends ChildWorld {
  readonly leaders: Set<number>;
  readonly native: NativePty;
  readonly emulator: Emulator;
}

/** Runs commands of the operating system, each in a terminal of its own that this program holds and that ends with it. */
export function createPtyBackend({ table, trees, reportError }: TerminalWorld): Backend | Unavailable {
  const native = loadNativePty();
  if ('why' in native) return native;
  const emulator = loadEmulator();
  if ('why' in emulator) return emulator;
  const parts = { table, trees, reportError, native, emulator, leaders: new Set<number>() };
  return {
    mode: 'pty',
    capabilities: { input: true, terminal: true, osProcesses: true, separateStreams: false, durable: false },
    run: (port) => run(port, parts),
  };
}

function run(port: BackendPort, parts: PtyParts): Cancel {
  const { request } = port;
  const exit = Promise.withResolvers<ExitStatus>();
  const command = checkStart(request);
  if (command instanceof Error) return reportFailure(command, port);
  // Before the child is there: this program may be gone in the same turn.
  parts.trees.prepare();
  const size = request.terminal ?? usualSize;
  const child = startPtyChild(command, { request, native: parts.native, size, onExit: exit.resolve });
  if (child instanceof Error) return reportFailure(child, port);
  return supervise(child, { port, parts, exit: exit.promise });
}

function reportFailure(error: Error, port: BackendPort): Cancel {
  refuseAll(port);
  void toSpawnFailure(error, port.request).then(port.tell);
  return () => {};
}

function supervise(
  child: PtyChild,
  { port, parts, exit }: { port: BackendPort; parts: PtyParts; exit: Promise<ExitStatus> },
): Cancel {
  const { request, clock } = port;
  const { emulator, leaders, reportError } = parts;
  let exited = false;
  const input = createPtyInput(child, clock);
  const screen = createScreen(request.terminal ?? usualSize, { emulator, onAnswer: input.answer });
  const { output } = port;
  const terminal = createPtyTerminal(child, { screen, input, output, clock, hasExited: () => exited });
  /** The screen is kept first: it may be the last one there is, as what is left behind may hold the terminal for ever. */
  const tellWith = async (last: Promise<ScreenCapture>, fact: ToldFact) => {
    await last.then((screen) => port.keepScreen(screen)).catch(reportError);
    port.tell(fact);
  };
  const controlPort: BackendPort = {
    ...port,
    tell: (fact) => {
      if (exited && fact.type === 'output.quieted') void tellWith(terminal.takeLast(), fact);
      else port.tell(fact);
    },
  };
  const { pid } = child;
  const control = createChildControl(pid, {
    port: controlPort,
    world: parts,
    identifyLeader: (hasExited) => identifyLeader(parts.table, { pid, id: request.id, hasExited }),
    input: toInputPort(input),
    terminal,
  });

  const end = () => void tellWith(terminal.close(), { type: 'output.ended' });
  pourScreen(child, { sink: output, screen, onEnded: end });
  leaders.add(child.pid);
  void exit.then((status) => {
    exited = true;
    leaders.delete(child.pid);
    control.leaderExited();
    port.tell({ type: 'process.exited', exit: status });
  });
  port.onCommand(control.obey);
  port.tell({ type: 'process.spawned', pid: child.pid, pgid: child.pid });

  return () => {
    control.release();
    // What is left behind may hold the terminal for ever; reading it must not keep this program alive.
    child.unref();
  };
}

/** A terminal has no end of file but the character that it takes for one, at the beginning of a line: Ctrl-D. */
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

import { emitKeypressEvents } from 'node:readline';
import type { Command } from '@commander-js/extra-typings';
import type { Clock } from '../../../clock/clock.ts';
import { createRealClock } from '../../../clock/real-clock.ts';
import { createMachineUsage } from '../../../readiness/machine-usage.ts';
import type { StateDirectory } from '../../../state-directory/state-directory.ts';
import type { CliIo } from '../../cli-io.ts';
import { isTerminal } from '../../cli-io.ts';
import { onEndSignal } from '../../end-signals.ts';
import { exitCodes, toSignalCode } from '../../exit-codes.ts';
import { createPage } from '../../render/page.ts';
import { addStateFlags, type DefineVerb, type FlagsOf } from '../../verb.ts';
import { type VerbInput, withState } from '../../with-state.ts';
import { listProcesses } from '../ps.ts';
import { TopBoard } from './top-board.ts';
import { renderTop } from './top-view.ts';

const addFlags = (command: Command) =>
  addStateFlags(command.option('-a, --all', 'include ended processes'), {});

/** Defines `troupe top`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description('Shows the processes of a state directory, refreshed every second.')
    .addHelpText(
      'after',
      `
Keys: ↑ ↓ select, Enter shows all about a process, k ends it, a includes ended
processes, s sorts by another column, q quits. CPU and memory are those of the
whole tree. Without a terminal it prints the table once.

Example:
  ${name} top`,
    )
    .action(async (flags) => end(await runTop({ flags, io })));
};

const EVERY_MS = 1_000;

/** Shows processes until the user quits; prints the table once without a terminal. @returns the exit code. */
function runTop(input: VerbInput<FlagsOf<typeof addFlags>>): Promise<number> {
  const { flags, io } = input;
  if (!isTerminal(io)) return listProcesses(input);
  return withState(input, (state) =>
    watchProcesses({ state, io, clock: createRealClock(), showsAll: flags.all === true }),
  );
}

interface WatchOptions {
  readonly state: StateDirectory;
  readonly io: CliIo;
  readonly clock: Clock;
  readonly showsAll: boolean;
}

async function watchProcesses({ state, io, clock, showsAll }: WatchOptions): Promise<number> {
  const { promise: left, resolve: leave, reject: fail } = Promise.withResolvers<number>();
  const page = createPage(io.stdout, { maxWidth: Number.POSITIVE_INFINITY });
  const readUsage = createMachineUsage(clock);
  const draw = () => screen.draw(renderTop(board.view, { page, rows: screen.rows }));
  const board = new TopBoard({ state, readUsage, page, showsAll, onChange: draw });

  let cancelRefresh = () => {};
  const refresh = () =>
    board.refresh().then(() => {
      cancelRefresh = clock.at(clock.nowMs() + EVERY_MS, refresh);
    }, fail);

  const onKey = (_: unknown, { name = '', ctrl = false }: { name?: string; ctrl?: boolean }) => {
    if (ctrl && name === 'c') leave(toSignalCode('SIGINT'));
    else if (!ctrl) board.press(name).then((isLeaving) => isLeaving && leave(exitCodes.done), fail);
  };

  const removeSignals = onEndSignal((signal) => leave(toSignalCode(signal)));
  const screen = openScreen(io);
  try {
    emitKeypressEvents(io.stdin);
    io.stdin.on('keypress', onKey).once('end', () => leave(exitCodes.done));
    io.stdin.resume();
    io.stdout.on('resize', draw);
    void refresh();
    return await left;
  } finally {
    cancelRefresh();
    io.stdout.off('resize', draw);
    io.stdin.off('keypress', onKey).pause();
    screen.close();
    removeSignals();
  }
}

/** The whole terminal, until it is closed. */
interface TopScreen {
  readonly rows: number;
  /** Replaces the contents. */
  draw(lines: readonly string[]): void;
  /** Restores the terminal; further calls do nothing. */
  close(): void;
}

/** Alternate screen, no cursor, and no wrapping, so that an overlong line does not push the others down. */
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l';
const LEAVE = '\x1b[?7h\x1b[?25h\x1b[?1049l';

/** Takes over the terminal, which is restored however the program ends, except by SIGKILL. */
function openScreen({ stdin, stdout }: Pick<CliIo, 'stdin' | 'stdout'>): TopScreen {
  let isOpen = true;
  const enter = () => {
    stdin.setRawMode(true);
    stdout.write(ENTER);
  };
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    process.off('exit', close);
    process.off('SIGCONT', enter);
    stdout.write(LEAVE);
    stdin.setRawMode(false);
  };
  enter();
  // Node calls this before it prints an uncaught error.
  process.on('exit', close);
  // The shell takes the terminal while this program is stopped.
  process.on('SIGCONT', enter);
  return {
    get rows() {
      return stdout.rows || 24;
    },
    draw: (lines) => {
      // Erasing comes first: after a line as wide as the screen the cursor is on its last character.
      if (isOpen) stdout.write(`\x1b[H${lines.map((line) => `\x1b[K${line}`).join('\r\n')}`);
    },
    close,
  };
}

import { emitKeypressEvents } from 'node:readline';
import type { Clock } from '../../clock/clock.ts';
import { createRealClock } from '../../clock/real-clock.ts';
import type { StateDirectory } from '../../state-directory/state-directory.ts';
import type { CliIo } from '../cli-io.ts';
import { canAsk } from '../confirm.ts';
import { onEndSignal, toSignalCode } from '../end-signals.ts';
import { exitCodes } from '../exit-codes.ts';
import { createPage } from '../render/page.ts';
import { type ListFlags, listProcesses } from '../verbs/ps.ts';
import { type VerbInput, withState } from '../with-state.ts';
import { createTopBoard } from './top-board.ts';
import { openScreen } from './top-screen.ts';
import { renderTop } from './top-view.ts';
import { createUsageMeter } from './tree-usage.ts';

const EVERY_MS = 1_000;

/** Shows processes as they are until a person leaves; without a terminal the table, once. @returns the exit code. */
export function runTop(scene: VerbInput<ListFlags>): Promise<number> {
  const { flags, io } = scene;
  if (!canAsk(io)) return listProcesses(scene);
  return withState(scene, (state) =>
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
  const meter = createUsageMeter({ clock });
  const draw = () => screen.draw(renderTop(board.view, { page, rows: screen.rows }));
  const board = createTopBoard({ state, meter, page, showsAll, onChange: draw });

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

import type { ProcessSignal } from '../../../machines/process/context.ts';
import { createRealClock } from '../../clock/real-clock.ts';
import { toErrorText } from '../../config/error-text.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { KillAnswer } from '../../process/process-handle.ts';
import { hasLiveMembers } from '../../process/process-view.ts';
import type { SeenProcess, StateDirectory } from '../../state-directory/state-directory.ts';
import { type CliIo, printError, printLines } from '../cli-io.ts';
import { toSignalCode } from '../end-signals.ts';
import { exitCodes } from '../exit-code.ts';
import { parseDuration } from '../parse-span.ts';
import { createPage } from '../render/page.ts';
import { toPrintable } from '../render/printable.ts';
import { renderProcessTable } from '../render/process-table.ts';
import { toMemberLine, toProcessName } from '../render/process-text.ts';
import { showProgress } from '../render/progress-line.ts';
import { type Chosen, chooseProcesses, printMissed } from '../state/choose-processes.ts';
import type { StateFlags } from '../state/state-flags.ts';
import { type VerbInput, withState } from '../state/with-state.ts';
import { canAsk, confirm } from './confirm.ts';
import { parseSignal } from './parse-signal.ts';

export interface KillFlags extends StateFlags {
  readonly force?: boolean;
  readonly signal?: string;
  readonly grace?: string;
}

interface KillRequest {
  readonly signal?: ProcessSignal;
  readonly grace?: number;
}

/** What became of one process: an answer, or why there was none. */
type Outcome =
  | { readonly id: string; readonly answer: KillAnswer }
  | { readonly id: string; readonly error: string };

/** Ends processes with all they started, after asking a person at a terminal. @returns the exit code. */
export function killProcesses(
  scene: VerbInput<KillFlags> & { readonly words: readonly string[] },
): Promise<number> {
  const { flags, io } = scene;
  const order: KillRequest = {
    ...(flags.signal !== undefined && { signal: parseSignal(flags.signal) }),
    ...(flags.grace !== undefined && { grace: parseDuration(flags.grace, '--grace') }),
  };
  return withState(scene, async (state) => {
    const chosen = await chooseProcesses(scene.words, { state, io });
    printMissed(chosen, io);
    const confirmation = await confirmKill(chosen.processes, { flags, io });
    if (confirmation !== 'yes') {
      printLines(io, 'Nothing was ended.');
      return confirmation === 'no' ? exitCodes.failed : toSignalCode('SIGINT');
    }
    const outcomes = await killAll(chosen.processes, { state, order, io });
    report({ outcomes, chosen }, { flags, io });
    return chosen.missed.length === 0 && outcomes.every(isGone) ? exitCodes.done : exitCodes.failed;
  });
}

async function confirmKill(
  processes: readonly SeenProcess[],
  { flags, io }: { readonly flags: KillFlags; readonly io: CliIo },
): Promise<'yes' | 'no' | 'interrupted'> {
  const endable = processes.filter(({ view }) => hasLiveMembers(view));
  if (flags.force === true || !canAsk(io) || endable.length === 0) return 'yes';
  printLines(
    io,
    ...renderProcessTable(endable, createPage(io.stdout, { maxWidth: Number.POSITIVE_INFINITY })),
  );
  const what = endable.length === 1 ? 'this process' : `these ${endable.length} processes`;
  return confirm(`End ${what}, with everything started by ${endable.length === 1 ? 'it' : 'them'}?`, io);
}

async function killAll(
  processes: readonly SeenProcess[],
  { state, order, io }: { readonly state: StateDirectory; readonly order: KillRequest; readonly io: CliIo },
): Promise<readonly Outcome[]> {
  const left = new Set(processes);
  const names = () => [...left].map(({ view }) => toProcessName(view)).join(', ');
  const progress = showProgress({ text: () => `Ending ${names()}`, io, clock: createRealClock() });
  const kill = async (seen: SeenProcess): Promise<Outcome> => {
    const { id } = seen.view;
    try {
      return { id, answer: await state.kill(id, { ...order, by: 'user' }) };
    } catch (error) {
      // The others are ended all the same.
      if (!(error instanceof TroupeError)) throw error;
      return { id, error: toErrorText(error) };
    } finally {
      left.delete(seen);
    }
  };
  try {
    return await Promise.all(processes.map(kill));
  } finally {
    progress.end();
  }
}

function isGone(outcome: Outcome): boolean {
  if ('error' in outcome) return false;
  const { answer } = outcome;
  if (answer.type === 'cancelled') return true;
  return 'receipt' in answer && answer.receipt.survivors.length === 0;
}

function report(
  { outcomes, chosen }: { readonly outcomes: readonly Outcome[]; readonly chosen: Chosen },
  { flags, io }: { readonly flags: KillFlags; readonly io: CliIo },
): void {
  if (flags.json === true) {
    const missed = chosen.missed.map(({ word, error }) => ({ id: word, type: 'notFound', message: error }));
    const told = outcomes.map((outcome) =>
      'error' in outcome
        ? { id: outcome.id, type: 'failed', message: outcome.error }
        : { id: outcome.id, ...outcome.answer },
    );
    return printLines(io, JSON.stringify([...told, ...missed]));
  }
  for (const outcome of outcomes) {
    if ('error' in outcome) printError(io, outcome.error);
    else if (!isGone(outcome)) printError(io, outcome.answer.message);
    else if (flags.quiet !== true) printLines(io, ...toReceiptLines(outcome.answer, io));
  }
}

/** What was ended, and under it what went with it. */
function toReceiptLines(answer: KillAnswer, io: CliIo): readonly string[] {
  const page = createPage(io.stdout);
  const others = 'receipt' in answer ? answer.receipt.leftoversEnded : [];
  return [
    toPrintable(answer.message),
    ...others.map((member) => page.paint('dim', toMemberLine(member, { head: '  also ended: ', page }))),
  ];
}

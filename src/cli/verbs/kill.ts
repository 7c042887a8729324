import type { Command } from '@commander-js/extra-typings';
import { createRealClock } from '../../clock/real-clock.ts';
import { toErrorText } from '../../config/error-text.ts';
import type { EndingSignal } from '../../config/signal-name.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { KillAnswer } from '../../process/process-handle.ts';
import { hasLiveMembers } from '../../process/process-view.ts';
import type { SeenProcess, StateDirectory } from '../../state-directory/state-directory.ts';
import { type CliIo, isTerminal, printError, printLines, printNote } from '../cli-io.ts';
import { confirm } from '../confirm.ts';
import { exitCodes, toSignalCode } from '../exit-codes.ts';
import { type Chosen, chooseProcesses, printMissed } from '../find-process.ts';
import { parseDuration, parseEndingSignal } from '../flag-values.ts';
import { createPage } from '../render/page.ts';
import { toPrintable } from '../render/printable.ts';
import { renderProcessTable } from '../render/process-table.ts';
import { toMemberLine, toProcessName } from '../render/process-text.ts';
import { showProgress } from '../render/progress-line.ts';
import { addStateFlags, type DefineVerb, type FlagsOf, idHelp } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';
import { describeEmptyList } from './ps.ts';

const addFlags = (command: Command) =>
  addStateFlags(
    command
      .argument('[id...]', idHelp)
      .option('-a, --all', 'every process that ps lists')
      .option('-f, --force', 'do not ask')
      .option('-s, --signal <signal>', 'the first signal (TERM), also as -9, -KILL or -INT; KILL follows')
      .option('--grace <duration>', 'from the first signal to KILL: 500ms, 30s, 5m'),
    { json: 'print one JSON array', quiet: 'print only errors' },
  );

export type KillFlags = FlagsOf<typeof addFlags>;

/** Defines `troupe kill`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description('Ends processes with everything they started, and waits until they are gone.')
    .usage('[options] <id...>')
    .addHelpText(
      'after',
      `
Prints what became of each, and ends with 0 if all are proven gone. At a
terminal it asks first. ${name} signal sends a signal and ends nothing.

Examples:
  ${name} kill build
  ${name} kill -9 build
  ${name} kill --all
  ${name} kill -f -s INT --grace 30s server worker
  ${name} kill -f $(${name} ps -q)`,
    )
    .action(async (words, flags) => end(await killProcesses({ words, flags, io })));
};

interface KillOrder {
  readonly signal?: EndingSignal;
  readonly grace?: number;
}

/** The answer to one kill, or the reason why there is none. */
type Outcome =
  | { readonly id: string; readonly answer: KillAnswer }
  | { readonly id: string; readonly error: string };

type KillCall = VerbInput<KillFlags> & { readonly words: readonly string[] };

/**
 * Ends processes with everything they started, after asking at a terminal. @returns the exit code.
 *
 * @throws TroupeError `invalid-option`
 */
export function killProcesses(input: KillCall): Promise<number> {
  const { flags, io } = input;
  const order: KillOrder = {
    ...(flags.signal !== undefined && { signal: parseEndingSignal(flags.signal, '--signal') }),
    ...(flags.grace !== undefined && { grace: parseDuration(flags.grace, '--grace') }),
  };
  checkWords(input);
  return withState(input, async (state) => {
    const chosen = await choose(input, state);
    printMissed(chosen, io);
    const confirmation = await confirmKill(chosen.processes, { flags, io });
    if (confirmation !== 'yes') {
      printLines(io, 'Nothing was ended.');
      return confirmation === 'no' ? exitCodes.failed : toSignalCode('SIGINT');
    }
    const outcomes = await killAll(chosen.processes, { state, order, io });
    printOutcomes({ outcomes, chosen }, { flags, io });
    return chosen.missed.length === 0 && outcomes.every(isGone) ? exitCodes.done : exitCodes.failed;
  });
}

/** @throws TroupeError `invalid-option` */
function checkWords({ words, flags }: KillCall): void {
  if ((flags.all === true) === (words.length === 0)) return;
  const message =
    flags.all === true
      ? '--all ends every process: leave out the names, or --all.'
      : 'no process is named: give ids or labels, or --all.';
  throw new TroupeError({ code: 'invalid-option', message });
}

async function choose({ words, flags, io }: KillCall, state: StateDirectory): Promise<Chosen> {
  if (flags.all !== true) return chooseProcesses(words, { state, io });
  const { processes, warnings } = await state.list({ onlyLive: true });
  for (const warning of warnings) printNote(io, warning);
  const live = processes.filter(({ view }) => hasLiveMembers(view));
  if (live.length === 0 && flags.json !== true && flags.quiet !== true)
    printLines(io, describeEmptyList({ path: state.path, all: false }));
  return { processes: live, missed: [], warnings };
}

async function confirmKill(
  processes: readonly SeenProcess[],
  { flags, io }: { readonly flags: KillFlags; readonly io: CliIo },
): Promise<'yes' | 'no' | 'interrupted'> {
  const endable = processes.filter(({ view }) => hasLiveMembers(view));
  if (flags.force === true || !isTerminal(io) || endable.length === 0) return 'yes';
  printLines(
    io,
    ...renderProcessTable(endable, createPage(io.stdout, { maxWidth: Number.POSITIVE_INFINITY })),
  );
  const what = endable.length === 1 ? 'this process' : `these ${endable.length} processes`;
  return confirm(`End ${what}, with everything started by ${endable.length === 1 ? 'it' : 'them'}?`, io);
}

async function killAll(
  processes: readonly SeenProcess[],
  { state, order, io }: { readonly state: StateDirectory; readonly order: KillOrder; readonly io: CliIo },
): Promise<readonly Outcome[]> {
  const left = new Set(processes);
  const names = () => [...left].map(({ view }) => toProcessName(view)).join(', ');
  const progress = showProgress({ text: () => `Ending ${names()}`, io, clock: createRealClock() });
  const kill = async (seen: SeenProcess): Promise<Outcome> => {
    const { id } = seen.view;
    try {
      return { id, answer: await state.kill(id, { ...order, by: 'user' }) };
    } catch (error) {
      // One failure does not keep the other processes alive.
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

function printOutcomes(
  { outcomes, chosen }: { readonly outcomes: readonly Outcome[]; readonly chosen: Chosen },
  { flags, io }: { readonly flags: KillFlags; readonly io: CliIo },
): void {
  if (flags.json === true) {
    const missed = chosen.missed.map(({ word, error }) => ({ id: word, type: 'notFound', message: error }));
    const ended = outcomes.map((outcome) =>
      'error' in outcome
        ? { id: outcome.id, type: 'failed', message: outcome.error }
        : { id: outcome.id, ...outcome.answer },
    );
    return printLines(io, JSON.stringify([...ended, ...missed]));
  }
  for (const outcome of outcomes) {
    if ('error' in outcome) printError(io, outcome.error);
    else if (!isGone(outcome)) printError(io, outcome.answer.message);
    else if (flags.quiet !== true) printLines(io, ...toReceiptLines(outcome.answer, io));
  }
}

/** The answer, followed by the processes that ended with it. */
function toReceiptLines(answer: KillAnswer, io: CliIo): readonly string[] {
  const page = createPage(io.stdout);
  const others = 'receipt' in answer ? answer.receipt.leftoversEnded : [];
  return [
    toPrintable(answer.message),
    ...others.map((member) => page.paint('dim', toMemberLine(member, { head: '  also ended: ', page }))),
  ];
}

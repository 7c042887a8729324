import type { Command } from '@commander-js/extra-typings';
import { describeEnd } from '../../../process/describe-end.ts';
import type { ProcessView } from '../../../process/process-view.ts';
import type { StateDirectory } from '../../../state-directory/state-directory.ts';
import { isTerminal, printError, printLines, printNote, toProgramName } from '../../cli-io.ts';

import { exitCodes, toProcessExitCode, toSignalCode } from '../../exit-codes.ts';
import { chooseProcess } from '../../find-process.ts';
import { toPrintable } from '../../render/printable.ts';
import { toProcessName } from '../../render/process-text.ts';
import { addStateFlags, type DefineVerb, type FlagsOf, idHelp } from '../../verb.ts';
import { type VerbInput, withState } from '../../with-state.ts';
import { type AttachCall, type AttachEnd, attachHere } from './attach-here.ts';
import { attachInTmux } from './attach-in-tmux.ts';
import { parseLeaveKey } from './leave-key.ts';

const addFlags = (command: Command) =>
  addStateFlags(
    command
      .argument('<id>', idHelp)
      .option('-r, --read-only', 'only look')
      .option('--leave-key <key>', 'the key that detaches: C-a to C-z, C-\\, C-], C-^, C-_ (C-])'),
  );

/** Defines `troupe attach`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description('Shows the terminal of a process in yours, and sends it what you type.')
    .addHelpText(
      'after',
      `
Ctrl-] detaches; the process continues. In tmux the key is always Ctrl-], and
--leave-key is refused. While you are attached, its terminal has the size of
yours. Others may attach at the same time.

Exits with 0 when you detach, and with the process's own exit code when it ends
while you are attached.

Examples:
  ${name} attach editor
  ${name} attach build --read-only
  ${name} attach repl --leave-key C-q`,
    )
    .action(async (word, flags) => end(await attachProcess({ word, flags, io })));
};

/** Time to wait for the record of an end after the user has detached. */
const LEFT_MS = 500;
/** The same after the terminal was closed: the supervisor may be busy, or the process may be restarting. */
const CLOSED_MS = 5_000;

/** Bound in troupe's tmux server for every client. */
const TMUX_KEY = 'Ctrl-]';

/** Shows the terminal of a process in this one. @returns the exit code. @throws TroupeError `invalid-option` */
function attachProcess(
  input: VerbInput<FlagsOf<typeof addFlags>> & { readonly word: string },
): Promise<number> {
  const { flags, io, word } = input;
  const leaveKey = parseLeaveKey(flags.leaveKey);
  return withState(input, async (state) => {
    const chosen = await chooseProcess(word, { state, io });
    if (chosen === null) return exitCodes.failed;
    const call = { view: chosen.view, state, io, leaveKey, isReadOnly: flags.readOnly === true };
    return attachTerminal(call);
  });
}

/** Shows the terminal of a known process. @returns 0 if the user detached, else the process's own exit code. */
export async function attachTerminal(call: AttachCall): Promise<number> {
  const { view, io } = call;
  const obstacle = findObstacle(call);
  if (obstacle !== null) {
    printError(io, obstacle.what, obstacle.next);
    return exitCodes.failed;
  }
  const command = toTmuxCommand(view);
  const leave = command === null ? call.leaveKey.name : TMUX_KEY;
  printNote(io, `${leave} detaches from ${toProcessName(view)}; it continues`);
  const end = command === null ? await attachHere(call) : await attachInTmux(command, call);
  return end.type === 'signalled' ? toSignalCode(end.signal) : reportEnd(end, call);
}

async function reportEnd(
  end: Exclude<AttachEnd, { type: 'signalled' }>,
  { view, state, io }: AttachCall,
): Promise<number> {
  const now = end.type === 'ended' ? await state.wait(view.id) : await readOutcome(view, { state, end });
  const name = toProcessName(view);
  if ('endedAt' in now) {
    const wasShown = end.type === 'ended' && end.wasShown;
    if (!wasShown) printLines(io, ...(await readLastLines(view.id, state)));
    printNote(io, `${name} ${describeEnd(now.reason, now.exit)}`);
    return toProcessExitCode(now);
  }
  const why = end.type === 'refused' || end.type === 'closed' ? end.why : null;
  if (why !== null) {
    printError(io, why);
    return exitCodes.failed;
  }
  printNote(io, `${name} continues; attach again: ${toProgramName(io.env)} attach ${view.id}`);
  return exitCodes.done;
}

/** Reads the process once its end, if any, is recorded, which takes a moment after tmux has ended. */
async function readOutcome(
  { id }: ProcessView,
  { state, end }: { readonly state: StateDirectory; readonly end: AttachEnd },
): Promise<ProcessView> {
  const soon = AbortSignal.timeout(end.type === 'closed' ? CLOSED_MS : LEFT_MS);
  return state.wait(id, { signal: soon }).catch(async (error) => {
    if (!soon.aborted) throw error;
    return (await state.show(id)).view;
  });
}

async function readLastLines(id: string, state: StateDirectory): Promise<readonly string[]> {
  const answer = await state.capture(id);
  if (!answer.ok) return [];
  const lines = answer.screen.lines.map(toPrintable);
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
}

interface Obstacle {
  readonly what: string;
  readonly next: string;
}

function findObstacle({ view, io, leaveKey }: AttachCall): Obstacle | null {
  const { id, terminal } = view;
  const name = toProcessName(view);
  const program = toProgramName(io.env);
  if ('endedAt' in view) {
    return {
      what: `${name} has ended, so there is nothing to attach to.`,
      next: `Print its last screen: ${program} screen ${id}`,
    };
  }
  if (terminal?.type !== 'terminal') {
    return {
      what: `${name} has no terminal. ${terminal?.because ?? 'It was started without --interactive.'}`,
      next: `Follow its output: ${program} logs -f ${id}   Write to it: ${program} write ${id} TEXT`,
    };
  }
  if (toTmuxCommand(view) !== null && leaveKey.name !== TMUX_KEY) {
    return {
      what: `${name} runs in tmux, where the key is ${TMUX_KEY}, not ${leaveKey.name}.`,
      next: `Leave out --leave-key: ${program} attach ${id}`,
    };
  }
  if (io.env['TROUPE_PROCESS_ID'] === id)
    return { what: `You are in ${name} already.`, next: 'Its screen would show itself.' };
  if (!isTerminal(io)) {
    return {
      what: `${name} can only be shown in a terminal, and stdin or stdout is not one.`,
      next: `Print its screen: ${program} screen ${id}   Type in it: ${program} keys ${id} KEY`,
    };
  }
  return null;
}

/** Returns the command that attaches in tmux; `null` if this program shows the terminal itself. */
function toTmuxCommand({ mode, terminal }: ProcessView): readonly string[] | null {
  return mode === 'tmux' && terminal?.type === 'terminal' ? terminal.attach : null;
}

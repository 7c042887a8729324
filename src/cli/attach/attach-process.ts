import { describeEnd } from '../../process/describe-end.ts';
import type { ProcessView } from '../../process/process-view.ts';
import type { StateDirectory } from '../../state-directory/state-directory.ts';
import { printError, printLines, printNote, toProgramName } from '../cli-io.ts';
import { toSignalCode } from '../end-signals.ts';
import { exitCodes, toProcessExitCode } from '../exit-codes.ts';
import { chooseProcess } from '../find-process.ts';
import { toPrintable } from '../render/printable.ts';
import { toProcessName } from '../render/process-text.ts';
import type { StateFlags } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';
import { type AttachCall, type AttachEnd, attachHere } from './attach-here.ts';
import { attachInTmux } from './attach-in-tmux.ts';
import { isTerminal } from './is-terminal.ts';
import { parseLeaveKey } from './leave-key.ts';

const SURE_MS = 500;
/** Its supervisor may be busy; and one that is started again has not ended. */
const CLOSED_MS = 5_000;

/** Bound in our tmux server for everybody. */
const TMUX_KEY = 'Ctrl-]';

export interface AttachFlags extends StateFlags {
  readonly readOnly?: boolean;
  readonly leaveKey?: string;
}

/** Sits a person down at the terminal of a process. @returns the exit code. @throws TroupeError `invalid-option` */
export function attachProcess(scene: VerbInput<AttachFlags> & { readonly word: string }): Promise<number> {
  const { flags, io, word } = scene;
  const leaveKey = parseLeaveKey(flags.leaveKey);
  return withState(scene, async (state) => {
    const chosen = await chooseProcess(word, { state, io });
    if (chosen === null) return exitCodes.failed;
    const call = { view: chosen.view, state, io, leaveKey, isReadOnly: flags.readOnly === true };
    return sitDown(call);
  });
}

/** The same for a process that is known already. @returns 0 where the person left, else the process's own exit code. */
export async function sitDown(call: AttachCall): Promise<number> {
  const { view, io } = call;
  const obstacle = findObstacle(call);
  if (obstacle !== null) {
    printError(io, obstacle.what, obstacle.next);
    return exitCodes.failed;
  }
  const command = toTmuxCommand(view);
  const leave = command === null ? call.leaveKey.name : TMUX_KEY;
  printNote(io, `${leave} leaves ${toProcessName(view)}; it goes on`);
  const end = command === null ? await attachHere(call) : await attachInTmux(command, call);
  return end.type === 'signalled' ? toSignalCode(end.signal) : tellEnd(end, call);
}

async function tellEnd(
  end: Exclude<AttachEnd, { type: 'signalled' }>,
  { view, state, io }: AttachCall,
): Promise<number> {
  const now = end.type === 'ended' ? await state.wait(view.id) : await untilSure(view, { state, end });
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
  printNote(io, `${name} goes on; back to it: ${toProgramName(io.env)} attach ${view.id}`);
  return exitCodes.done;
}

/** Where tmux has ended with the process, that is told a moment later. */
async function untilSure(
  { id }: ProcessView,
  { state, end }: { readonly state: StateDirectory; readonly end: AttachEnd },
): Promise<ProcessView> {
  const soon = AbortSignal.timeout(end.type === 'closed' ? CLOSED_MS : SURE_MS);
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
      what: `${name} has ended, so there is nothing to sit down at.`,
      next: `What it showed last: ${program} screen ${id}`,
    };
  }
  if (terminal?.type !== 'terminal') {
    return {
      what: `${name} has no terminal. ${terminal?.because ?? 'It was started without --interactive.'}`,
      next: `What it prints: ${program} logs -f ${id}   Write to it: ${program} write ${id} TEXT`,
    };
  }
  if (toTmuxCommand(view) !== null && leaveKey.name !== TMUX_KEY) {
    return {
      what: `${name} is in tmux, and in tmux the key is ${TMUX_KEY}, not ${leaveKey.name}.`,
      next: `Leave out --leave-key: ${program} attach ${id}`,
    };
  }
  if (io.env['TROUPE_PROCESS_ID'] === id)
    return { what: `You are in ${name} already.`, next: 'Its screen would show itself in itself.' };
  if (!isTerminal(io)) {
    return {
      what: `${name} can only be shown in a terminal, and stdin or stdout is none here.`,
      next: `What it shows: ${program} screen ${id}   Type in it: ${program} keys ${id} KEY`,
    };
  }
  return null;
}

/** `null` where its terminal is shown by us. */
function toTmuxCommand({ mode, terminal }: ProcessView): readonly string[] | null {
  return mode === 'tmux' && terminal?.type === 'terminal' ? terminal.attach : null;
}

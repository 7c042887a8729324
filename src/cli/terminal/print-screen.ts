import type { CaptureAnswer } from '../../../machines/process/terminal.ts';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { printError, printLines, printNote } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseProcess } from '../find-process.ts';
import { toPrintable } from '../render/printable.ts';
import type { StateFlags } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';
import { toColouredLines } from './coloured-lines.ts';

export interface ScreenFlags extends StateFlags {
  readonly scrollback?: string;
  readonly colour?: boolean;
}

type Captured = Extract<CaptureAnswer, { ok: true }>;

const MAX_SCROLLBACK_LINES = 100_000;

/** Prints what the terminal of a process shows, or showed last. @returns the exit code. */
export function printScreen(scene: VerbInput<ScreenFlags> & { readonly word: string }): Promise<number> {
  const { flags, io } = scene;
  const scrollbackLines = parseScrollback(flags.scrollback);
  const withDrawing = flags.colour === true;
  return withState(scene, async (state) => {
    const chosen = await chooseProcess(scene.word, { state, io });
    if (chosen === null) return exitCodes.failed;
    const { id } = chosen.view;
    const answer = await state.capture(id, { scrollbackLines, withDrawing });
    if (!answer.ok) {
      if (flags.json === true) printLines(io, JSON.stringify({ id, ...answer }));
      printError(io, answer.error);
      return exitCodes.failed;
    }
    const { screen, drawing } = answer;
    if (flags.json === true)
      printLines(io, JSON.stringify({ id, ...screen, ...(withDrawing && { drawing }) }));
    else printLines(io, ...toLines(answer));
    if (withDrawing && drawing === null && !screen.isLast && flags.json !== true) {
      printNote(io, 'without its colours: there is something secret on this screen');
    }
    return exitCodes.done;
  });
}

/** Blank lines under the last one that shows something are left out. */
function toLines({ screen, drawing }: Captured): readonly string[] {
  const { scrollback, lines } = screen;
  const before = scrollback.map(toPrintable);
  if (drawing !== null) return [...before, ...withoutBlankEnd(toColouredLines(drawing))];
  return withoutBlankEnd([...before, ...lines.map(toPrintable)]);
}

function withoutBlankEnd(lines: readonly string[]): readonly string[] {
  const isSeen = (line: string) => toPrintable(line).trim() !== '';
  return lines.slice(0, lines.findLastIndex(isSeen) + 1);
}

function parseScrollback(text: string | undefined): number {
  const count = text === undefined ? 0 : Number(text);
  if (Number.isInteger(count) && count >= 0 && count <= MAX_SCROLLBACK_LINES && text !== '') return count;
  const message = `--scrollback is ${quote(text ?? '')}; expected a number of lines, at most ${MAX_SCROLLBACK_LINES}.`;
  throw new TroupeError({ code: 'invalid-option', message });
}

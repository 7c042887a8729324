import type { Command } from '@commander-js/extra-typings';
import type { CaptureAnswer } from '../../../machines/process/terminal.ts';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { printError, printLines, printNote } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseProcess } from '../find-process.ts';
import { toColouredLines } from '../render/coloured-lines.ts';
import { toPrintable } from '../render/printable.ts';
import { addStateFlags, type DefineVerb, type FlagsOf, idHelp } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

const addFlags = (command: Command) =>
  addStateFlags(
    command
      .argument('<id>', idHelp)
      .option('--scrollback <lines>', 'include this many lines scrolled off the top')
      .option('--colour', 'keep the colours'),
    { json: 'print one JSON object with size and cursor' },
  );

/** Defines `troupe screen`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description('Prints the screen of a process that has a terminal.')
    .addHelpText(
      'after',
      `
After the end of the process it prints the last screen.

Examples:
  ${name} screen editor
  ${name} screen repl --scrollback 100
  ${name} screen top --colour | less -R`,
    )
    .action(async (word, flags) => end(await printScreen({ word, flags, io })));
};

type Captured = Extract<CaptureAnswer, { ok: true }>;

const MAX_SCROLLBACK_LINES = 100_000;

/** Prints the current or last screen of a process. @returns the exit code. @throws TroupeError `invalid-option` */
export function printScreen(
  input: VerbInput<FlagsOf<typeof addFlags>> & { readonly word: string },
): Promise<number> {
  const { flags, io } = input;
  const scrollbackLines = parseScrollback(flags.scrollback);
  const withDrawing = flags.colour === true;
  return withState(input, async (state) => {
    const chosen = await chooseProcess(input.word, { state, io });
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
      printNote(io, 'The colours are omitted, because this screen shows a secret.');
    }
    return exitCodes.done;
  });
}

/** Returns the lines without trailing blank ones. */
function toLines({ screen, drawing }: Captured): readonly string[] {
  const { scrollback, lines } = screen;
  const before = scrollback.map(toPrintable);
  if (drawing !== null) return [...before, ...trimBlankEnd(toColouredLines(drawing))];
  return trimBlankEnd([...before, ...lines.map(toPrintable)]);
}

function trimBlankEnd(lines: readonly string[]): readonly string[] {
  const isSeen = (line: string) => toPrintable(line).trim() !== '';
  return lines.slice(0, lines.findLastIndex(isSeen) + 1);
}

function parseScrollback(text: string | undefined): number {
  const count = text === undefined ? 0 : Number(text);
  if (Number.isInteger(count) && count >= 0 && count <= MAX_SCROLLBACK_LINES && text !== '') return count;
  const message = `--scrollback is ${quote(text ?? '')}; expected a number of lines, at most ${MAX_SCROLLBACK_LINES}.`;
  throw new TroupeError({ code: 'invalid-option', message });
}

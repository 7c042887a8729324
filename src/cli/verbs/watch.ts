import type { Command } from '@commander-js/extra-typings';
import { formatDuration } from '../../config/format-duration.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { describeEnd } from '../../process/describe-end.ts';
import type { WatchNews } from '../../watches/watch.ts';
import { type CliIo, printError, printLines, printNote } from '../cli-io.ts';
import { type EndSignal, onEndSignal } from '../end-signals.ts';
import { exitCodes, toSignalCode } from '../exit-codes.ts';
import { chooseProcess } from '../find-process.ts';
import { parseDuration } from '../flag-values.ts';
import { toClockTime } from '../render/local-time.ts';
import { toPrintable } from '../render/printable.ts';
import { toProcessName } from '../render/process-text.ts';
import { addStateFlags, type DefineVerb, type FlagsOf, idHelp } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

const addFlags = (command: Command) =>
  addStateFlags(
    command
      .argument('<id>', idHelp)
      .option('--quiet-for <duration>', 'report silence of this length (5s)')
      .option('--pattern <pattern>', 'report lines that match this regular expression')
      .option('--once', 'end after the first report; with 1 if there is none'),
    { json: 'print each report as JSON, one per line' },
  );

export type WatchFlags = FlagsOf<typeof addFlags>;

/** Defines `troupe watch`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description('Reports when a process falls silent or prints a matching line.')
    .addHelpText(
      'after',
      `
For a process with a terminal the screen counts, otherwise its output. Silence
is reported once, and again after a change. Ctrl-C ends only the watch.

Examples:
  ${name} watch build                      when it is silent for 5 s
  ${name} watch build --quiet-for 30s --once
  ${name} watch server --pattern 'error|warn' --json`,
    )
    .action(async (word, flags) => end(await watchProcess({ word, flags, io })));
};

/**
 * Reports silence or matching lines of a process until it ends or a signal comes. @returns the exit code.
 *
 * @throws TroupeError `invalid-option`
 */
export function watchProcess(input: VerbInput<WatchFlags> & { readonly word: string }): Promise<number> {
  const { flags, io } = input;
  const options = parseOptions(flags);
  return withState(input, async (state) => {
    const chosen = await chooseProcess(input.word, { state, io });
    if (chosen === null) return exitCodes.failed;
    const { id } = chosen.view;
    const leaving = new AbortController();
    let left: EndSignal | null = null;
    const removeSignals = onEndSignal((signal) => {
      left = signal;
      leaving.abort();
    });
    try {
      for await (const news of state.watch(id, { ...options, signal: leaving.signal })) {
        report(news, { flags, io });
        if (news.type === 'watch.failed') return exitCodes.failed;
        if (flags.once === true) return exitCodes.done;
      }
      const end = await state.wait(id, { signal: leaving.signal });
      printNote(io, `${toProcessName(end)} ${describeEnd(end.reason, end.exit)}`);
      return flags.once === true ? exitCodes.failed : exitCodes.done;
    } catch (error) {
      if (left !== null) return toSignalCode(left);
      throw error;
    } finally {
      removeSignals();
    }
  });
}

function parseOptions({ quietFor, pattern }: WatchFlags): { quiet?: number; pattern?: string } {
  if (quietFor !== undefined && pattern !== undefined) {
    const message = '--quiet-for and --pattern are two watches: run the command once for each.';
    throw new TroupeError({ code: 'invalid-option', message });
  }
  if (pattern !== undefined) return { pattern };
  return quietFor === undefined ? {} : { quiet: parseDuration(quietFor, '--quiet-for') };
}

function report(news: WatchNews, { flags, io }: { readonly flags: WatchFlags; readonly io: CliIo }): void {
  if (flags.json === true) return printLines(io, JSON.stringify(news));
  if (news.type === 'watch.failed') return printError(io, `The watch failed: ${news.why}`);
  const head = `${toClockTime(news.at)} ${toProcessName(news.process)} ${describe(news)}`;
  printLines(io, head, ...news.lines.map((line) => `  ${toPrintable(line)}`));
}

function describe(news: Exclude<WatchNews, { type: 'watch.failed' }>): string {
  if (news.type === 'watch.quiet') return `has been silent for ${formatDuration(news.quietMs)}`;
  const { matches, suppressed } = news;
  const lines = matches === 1 ? 'a matching line' : `${matches} matching lines`;
  return `printed ${lines}${suppressed === 0 ? '' : `, ${suppressed} of them not shown`}`;
}

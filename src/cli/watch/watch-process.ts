import { formatDuration } from '../../config/format-duration.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { describeEnd } from '../../process/describe-end.ts';
import type { WatchNews } from '../../watches/watch.ts';
import { type CliIo, printError, printLines, printNote } from '../cli-io.ts';
import { type EndSignal, onEndSignal, toSignalCode } from '../end-signals.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseProcess } from '../find-process.ts';
import { parseDuration } from '../flag-values.ts';
import { toClockTime } from '../render/local-time.ts';
import { toPrintable } from '../render/printable.ts';
import { toProcessName } from '../render/process-text.ts';
import type { StateFlags } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

export interface WatchFlags extends Pick<StateFlags, 'stateDir' | 'json'> {
  readonly quietFor?: string;
  readonly pattern?: string;
  readonly once?: boolean;
}

/**
 * Tells when a process has gone quiet, or prints a line that matches, until it has ended or a person leaves. @returns the exit code.
 *
 * @throws TroupeError `invalid-option`
 */
export function watchProcess(scene: VerbInput<WatchFlags> & { readonly word: string }): Promise<number> {
  const { flags, io } = scene;
  const options = parseOptions(flags);
  return withState(scene, async (state) => {
    const chosen = await chooseProcess(scene.word, { state, io });
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
    const message = '--quiet and --pattern are two watches: run this command twice.';
    throw new TroupeError({ code: 'invalid-option', message });
  }
  if (pattern !== undefined) return { pattern };
  return quietFor === undefined ? {} : { quiet: parseDuration(quietFor, '--quiet') };
}

function report(news: WatchNews, { flags, io }: { readonly flags: WatchFlags; readonly io: CliIo }): void {
  if (flags.json === true) return printLines(io, JSON.stringify(news));
  if (news.type === 'watch.failed') return printError(io, `the watch has ended: ${news.why}`);
  const head = `${toClockTime(news.at)} ${toProcessName(news.process)} ${describe(news)}`;
  printLines(io, head, ...news.lines.map((line) => `  ${toPrintable(line)}`));
}

function describe(news: Exclude<WatchNews, { type: 'watch.failed' }>): string {
  if (news.type === 'watch.quiet') return `has been quiet for ${formatDuration(news.quietMs)}`;
  const { matches, suppressed } = news;
  const lines = matches === 1 ? 'a line that matches' : `${matches} lines that match`;
  return `has printed ${lines}${suppressed === 0 ? '' : `, ${suppressed} of them not shown`}`;
}

import { once } from 'node:events';
import type { TimeBounds } from '../../../output/output-times.ts';
import type { ProcessView } from '../../../process/process-view.ts';
import { type CliIo, printError, printNote, toProgramName } from '../../cli-io.ts';
import { type EndSignal, onEndSignal } from '../../end-signals.ts';
import { exitCodes, toSignalCode } from '../../exit-codes.ts';
import { chooseProcesses, printMissed } from '../../find-process.ts';
import { toPrintable } from '../../render/printable.ts';
import { pad } from '../../render/wrap.ts';
import type { DefineVerb } from '../../verb.ts';
import { type VerbInput, withState } from '../../with-state.ts';
import { createLineTimes, readTimes, toTimestamp } from './line-times.ts';
import {
  createJsonFormatter,
  createPrefixedFormatter,
  createRawFormatter,
  createTerminalFormatter,
  type LogFormatter,
} from './log-formatter.ts';
import { addFlags, type LogFlags, type LogQuery, parseLogFlags } from './log-query.ts';
import {
  createFilter,
  describeUnknownTimes,
  findRange,
  type LogPiece,
  noTimes,
  readPieces,
  type Source,
  type TimedPiece,
} from './log-reader.ts';

/** Defines `troupe logs`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description('Prints the output of processes, and follows it.')
    .addHelpText(
      'after',
      `
A file or a pipe gets every byte unchanged. A terminal gets colours and no other
escape sequences, unless --raw is given. With several processes each line begins
with the name of its process.

With --follow it ends when the process has ended; Ctrl-C leaves the process
running. A restart of the process or of its supervisor does not interrupt it.

Times are exact to about a second. Further back in a long log, or where no
supervisor was running, two times bound the arrival of a line: first/last.

Examples:
  ${name} logs build            the last 50 lines
  ${name} logs -f -n 10 server worker
  ${name} logs -n all --stream stderr build > errors.txt
  ${name} logs --grep 'error|warn' -i build
  ${name} logs -t --since 10m server worker
  ${name} logs --json --since 4096 build`,
    )
    .action(async (words, flags) => end(await printLogs({ words, flags, io })));
};

/**
 * Prints the output of processes one after another, or with `follow` of all at once until they end. @returns the exit code.
 *
 * @throws TroupeError `invalid-option`
 */
export function printLogs(
  input: VerbInput<LogFlags> & { readonly words: readonly string[] },
): Promise<number> {
  const { flags, io } = input;
  const order = parseLogFlags(flags, Date.now());
  return withState(input, async (state) => {
    const chosen = await chooseProcesses(input.words, { state, io });
    printMissed(chosen, io);
    const views = chosen.processes.map(({ view }) => view);
    const leaving = new AbortController();
    let leftBy: EndSignal | null = null;
    const removeSignals = onEndSignal((signal) => {
      leftBy = signal;
      leaving.abort();
    });
    try {
      const printings = views.map((view) =>
        formatLog(
          { state, view },
          { order, text: chooseFormatter(view, { views, flags, io }), flags, io, signal: leaving.signal },
        ),
      );
      const codes = await writeAll(printings, { order, io, signal: leaving.signal });
      const signal = leftBy as EndSignal | null;
      if (signal !== null) return toSignalCode(signal);
      return chosen.missed.length > 0 ? exitCodes.failed : Math.max(exitCodes.done, ...codes);
    } finally {
      removeSignals();
    }
  });
}

/** Formatted output of one process, in order; then the exit code. */
type FormattedLog = AsyncGenerator<FormattedPiece, number>;

interface FormattedPiece {
  readonly data: string | Uint8Array;
  /** Earliest time of arrival. */
  readonly at: number | null;
}

interface Target {
  readonly io: CliIo;
  readonly signal: AbortSignal;
}

/** Separates existing output from new output of a followed process. */
const endOfBacklog: FormattedPiece = { data: '', at: null };

/** Merges the logs by time if times are shown; otherwise writes followed logs concurrently and others in sequence. */
async function writeAll(
  printings: readonly FormattedLog[],
  { order, ...target }: Target & { readonly order: LogQuery },
): Promise<readonly number[]> {
  if (order.showsTimes) return writeMerged(printings, target);
  if (order.follows) return Promise.all(printings.map((printing) => writeOne(printing, target)));
  const codes: number[] = [];
  for (const printing of printings) codes.push(await writeOne(printing, target));
  return codes;
}

async function writeOne(printing: FormattedLog, target: Target): Promise<number> {
  while (true) {
    const { done, value } = await printing.next();
    if (done === true) return value;
    await writeOut(value.data, target);
  }
}

/** Writes existing output merged by time, lines of unknown time first, then new output as it arrives. */
async function writeMerged(printings: readonly FormattedLog[], target: Target): Promise<readonly number[]> {
  const heads = await Promise.all(printings.map((printing) => printing.next()));
  while (true) {
    const times = heads.map(({ done, value }) =>
      done === true || value === endOfBacklog
        ? Number.POSITIVE_INFINITY
        : (value.at ?? Number.NEGATIVE_INFINITY),
    );
    const first = times.indexOf(Math.min(...times));
    const [head, printing] = [heads[first], printings[first]];
    if (head === undefined || printing === undefined) break;
    if (head.done === true || head.value === endOfBacklog) break;
    await writeOut(head.value.data, target);
    heads[first] = await printing.next();
  }
  return Promise.all(
    printings.map((printing, index) => {
      const head = heads[index];
      return head?.done === true ? head.value : writeOne(printing, target);
    }),
  );
}

function chooseFormatter(
  view: ProcessView,
  { views, flags, io }: { views: readonly ProcessView[]; flags: LogFlags; io: CliIo },
): LogFormatter {
  const isAlone = views.length === 1;
  if (flags.json === true) return createJsonFormatter(isAlone ? {} : { id: view.id });
  const isShown = showsOnTerminal(flags, io);
  const text = isShown ? createTerminalFormatter({ hasColours: hasColours(io) }) : createRawFormatter();
  if (isAlone && flags.timestamps !== true) return text;
  const width = Math.max(...views.map((each) => toShortName(each).length));
  const name = isAlone ? [] : [`${pad(toShortName(view), width)} │`];
  const toTime = flags.timestamps === true ? ({ time }: TimedPiece) => [toTimestamp(time)] : () => [];
  return createPrefixedFormatter(text, {
    toName: (piece) => [...toTime(piece), ...name].join(' '),
    isTerminal: isShown,
  });
}

function toShortName({ id, label }: ProcessView): string {
  return label === null ? id : toPrintable(label);
}

function showsOnTerminal({ json, raw }: LogFlags, { stdout }: CliIo): boolean {
  return stdout.isTTY && json !== true && raw !== true;
}

/** See no-color.org. */
function hasColours({ env }: CliIo): boolean {
  return (env['NO_COLOR'] ?? '') === '';
}

interface FormatOptions extends Target {
  readonly order: LogQuery;
  readonly text: LogFormatter;
  readonly flags: LogFlags;
}

async function* formatLog(source: Source, { order, text, flags, io, signal }: FormatOptions): FormattedLog {
  const { state, view } = source;
  const span = await findRange(source, order);
  if (span.problem !== null) {
    printError(io, `The output of ${view.id} cannot be read: ${span.problem}.`);
    return exitCodes.failed;
  }
  if (order.since.type === 'offset' && order.since.offset > span.length)
    printNote(io, `--since is ${order.since.offset}; the output has ${span.length} bytes so far.`);
  const needsTimes = order.showsTimes || flags.json === true;
  // Read after the range, so that no byte in it is younger than the known times.
  const known = needsTimes ? await readTimes(state, view.id) : noTimes;
  if (order.showsTimes && known.marks.length === 0 && span.length > 0)
    printNote(io, `${describeUnknownTimes(view)}.`);
  const times = createLineTimes({
    known,
    to: span.length,
    read: needsTimes && order.follows ? () => readTimes(state, view.id) : null,
  });
  const sieve = createFilter(order, span);
  let last: TimeBounds = { earliest: null, latest: null };
  async function* toPrinted(pieces: readonly LogPiece[]): AsyncGenerator<FormattedPiece, void> {
    for (const piece of pieces) {
      if (piece.bytes.byteLength === 0) continue;
      if (needsTimes) last = await times.at(piece.offset);
      yield { data: text.push({ ...piece, time: last }), at: last.earliest };
    }
  }
  const hintAtScreen = showsOnTerminal(flags, io) ? createScreenHint(source.view, io) : () => {};
  let isBehind = order.follows;
  try {
    if (isBehind && span.from >= span.length) {
      isBehind = false;
      yield endOfBacklog;
    }
    for await (const piece of readPieces(source, { order, span, io, signal })) {
      hintAtScreen(piece);
      yield* toPrinted(sieve.push(piece));
      if (!isBehind || piece.offset + piece.bytes.byteLength < span.length) continue;
      isBehind = false;
      yield endOfBacklog;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  yield* toPrinted(sieve.end());
  yield { data: text.end(), at: last.earliest };
  const { degraded } = source.view.output;
  if (degraded !== null) printNote(io, `The output of ${source.view.id} may be incomplete: ${degraded}.`);
  return exitCodes.done;
}

/** Points once at `troupe screen` for a full-screen program, whose log holds only what it sent to the terminal. */
function createScreenHint({ id, terminal }: ProcessView, io: CliIo): (piece: LogPiece) => void {
  let isPrinted = terminal?.type !== 'terminal';
  return ({ bytes: { buffer, byteOffset, byteLength } }) => {
    if (isPrinted || !alternateScreen.test(Buffer.from(buffer, byteOffset, byteLength).toString('latin1')))
      return;
    isPrinted = true;
    const program = toProgramName(io.env);
    printNote(io, `${id} is a full-screen program: ${program} screen ${id} shows its screen.`);
  };
}

/** See "alternate screen buffer" in xterm ctlseqs. */
const alternateScreen = /\x1b\[\?(?:47|1047|1049)h/;

/** Resolves once stdout accepts more, so that a slow reader does not make memory grow. */
async function writeOut(data: string | Uint8Array, { io: { stdout }, signal }: Target): Promise<void> {
  if (data.length === 0 || stdout.write(data)) return;
  await once(stdout, 'drain', { signal }).catch(() => {});
}

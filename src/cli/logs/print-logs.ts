import { once } from 'node:events';
import { findAfter, findSince, type OutputTimes, type TimeBounds } from '../../output/log-times.ts';
import type { ProcessView } from '../../process/process-view.ts';
import type { StateDirectory } from '../../state-directory/state-directory.ts';
import { type CliIo, printError, printNote, toProgramName } from '../cli-io.ts';
import { type EndSignal, onEndSignal, toSignalCode } from '../end-signals.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseProcesses, printMissed } from '../find-process.ts';
import { toPrintable } from '../render/printable.ts';
import { pad } from '../render/wrap.ts';
import { type VerbInput, withState } from '../with-state.ts';
import { createLineTimes, readTimes, toTimestamp } from './line-times.ts';
import { createMatchingLines, type LogPiece, type PieceFilter, type TimedPiece } from './log-pieces.ts';
import { type LogFlags, type LogQuery, parseLogFlags } from './log-query.ts';
import {
  createJsonFormatter,
  createPrefixedFormatter,
  createRawFormatter,
  createTerminalFormatter,
  type LogFormatter,
} from './log-text.ts';

interface Source {
  readonly state: StateDirectory;
  readonly view: ProcessView;
}

/**
 * Prints what processes wrote, and with `follow` what they write until their end: several one after another, or at once while they are
 * followed, each line behind the name of its process. @returns the exit code.
 */
export function printLogs(
  scene: VerbInput<LogFlags> & { readonly words: readonly string[] },
): Promise<number> {
  const { flags, io } = scene;
  const order = parseLogFlags(flags, Date.now());
  return withState(scene, async (state) => {
    const chosen = await chooseProcesses(scene.words, { state, io });
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

/** What one process has to print, in order; then the exit code. */
type FormattedLog = AsyncGenerator<FormattedPiece, number>;

interface FormattedPiece {
  readonly data: string | Uint8Array;
  /** When it came, at the earliest. */
  readonly at: number | null;
}

interface Target {
  readonly io: CliIo;
  readonly signal: AbortSignal;
}

/** Between what was there and what comes, where processes are followed. */
const endOfBacklog: FormattedPiece = { data: '', at: null };

/** In order of time where that is shown; else all at once while they are followed, or one after another. */
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

/** What has no time comes first; what comes while it is followed, as it comes. */
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
  // After the span, so that nothing in it is younger than what is known.
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
  const tellOfScreen = showsOnTerminal(flags, io) ? createScreenHint(source.view, io) : () => {};
  let isBehind = order.follows;
  try {
    if (isBehind && span.from >= span.length) {
      isBehind = false;
      yield endOfBacklog;
    }
    for await (const piece of readPieces(source, { order, span, io, signal })) {
      tellOfScreen(piece);
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
  if (degraded !== null) printNote(io, `The output of ${source.view.id} may not be complete: ${degraded}.`);
  return exitCodes.done;
}

/** Says once of a program that draws on the whole screen how that is seen: its log is only what it sent to the terminal. */
function createScreenHint({ id, terminal }: ProcessView, io: CliIo): (piece: LogPiece) => void {
  let isTold = terminal?.type !== 'terminal';
  return ({ bytes: { buffer, byteOffset, byteLength } }) => {
    if (isTold || !alternateScreen.test(Buffer.from(buffer, byteOffset, byteLength).toString('latin1')))
      return;
    isTold = true;
    const program = toProgramName(io.env);
    printNote(io, `${id} draws on the whole screen: ${program} screen ${id} shows it as it looks.`);
  };
}

/** See "alternate screen buffer" in xterm ctlseqs. */
const alternateScreen = /\x1b\[\?(?:47|1047|1049)h/;

/** Offsets between which the output of now is printed. */
interface LogRange {
  readonly from: number;
  readonly to: number;
  /** Of all output of now. */
  readonly length: number;
  readonly problem: string | null;
}

const noTimes: OutputTimes = { marks: [], lastAt: null };

function describeUnknownTimes({ id }: ProcessView): string {
  return `when the output of ${id} came is unknown: its log has no index of times`;
}

/** Whoever looks for lines must look at all of them, however many are to be shown. */
async function findRange(
  { state, view }: Source,
  { tail, since, until, stream, pattern }: LogQuery,
): Promise<LogRange> {
  const isTimed = since.type === 'time' || until?.type === 'time';
  const known = isTimed ? await readTimes(state, view.id) : noTimes;
  const looksAtAll = tail === null || pattern !== null;
  const start = since.type === 'offset' ? since.offset : findSince(known, since.at);
  const {
    from,
    to: length,
    problem,
  } = await state.read(view.id, {
    since: start ?? 0,
    format: 'raw',
    maxBytes: 1,
    tail: looksAtAll ? 0 : tail,
    ...(stream !== null && !looksAtAll && { stream }),
  });
  if (problem === null && isTimed && known.marks.length === 0 && length > 0) {
    const hint = '--since and --until take offsets in bytes all the same, as --json tells them';
    return { from: 0, to: 0, length, problem: `${describeUnknownTimes(view)}; ${hint}` };
  }
  const end = until?.type === 'time' ? findAfter(known, until.at) : (until?.offset ?? null);
  const to = Math.min(length, end ?? length);
  return { from: start === null ? length : looksAtAll ? start : from, to, length, problem };
}

/** The output of now, and with `follows` what comes after it. */
async function* readPieces(
  { state, view: { id } }: Source,
  { order, span, io, signal }: { order: LogQuery; span: LogRange; io: CliIo; signal: AbortSignal },
): AsyncGenerator<LogPiece> {
  if (!order.follows && span.from >= span.to) return;
  for await (const { stream, offset, bytes, droppedBytes } of state.follow(id, { from: span.from, signal })) {
    if (droppedBytes > 0) printNote(io, `${droppedBytes} bytes before offset ${offset} are no longer kept.`);
    const left = order.follows ? bytes.byteLength : span.to - offset;
    const piece = { stream, offset, droppedBytes, bytes: bytes.subarray(0, Math.max(0, left)) };
    if (piece.bytes.byteLength > 0 || droppedBytes > 0) yield piece;
    if (!order.follows && offset + bytes.byteLength >= span.to) return;
  }
}

/** Lets through only what is asked for; of the matching lines of now, the last. */
function createFilter({ pattern, tail, stream, showsTimes }: LogQuery, span: LogRange): PieceFilter {
  const isWanted = (piece: LogPiece) => stream === null || piece.stream === stream;
  if (pattern === null && !showsTimes)
    return { push: (piece) => (isWanted(piece) ? [piece] : []), end: () => [] };
  const matching = createMatchingLines(pattern ?? everyLine);
  const holds = pattern !== null && tail !== null && span.from < span.to;
  let held: LogPiece[] | null = holds ? [] : null;

  /** The lines, unless it is too early to say whether they are the last. */
  const pass = (
    lines: readonly LogPiece[],
    { isLast }: { readonly isLast: boolean },
  ): readonly LogPiece[] => {
    if (held === null || tail === null) return lines;
    held.push(...lines);
    held.splice(0, Math.max(0, held.length - tail));
    if (!isLast) return [];
    const last = held;
    held = null;
    return last;
  };

  return {
    push: (piece) => {
      const isLast = piece.offset + piece.bytes.byteLength >= span.to;
      return pass(isWanted(piece) ? matching.push(piece) : [], { isLast });
    },
    end: () => pass(matching.end(), { isLast: true }),
  };
}

const everyLine = /(?:)/u;

/** Resolves once there is room for more, so that memory does not grow behind a slow reader. */
async function writeOut(data: string | Uint8Array, { io: { stdout }, signal }: Target): Promise<void> {
  if (data.length === 0 || stdout.write(data)) return;
  await once(stdout, 'drain', { signal }).catch(() => {});
}

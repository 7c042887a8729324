import { once } from 'node:events';
import type { StateDirectory } from '../../control/state-directory.ts';
import type { ProcessView } from '../../process/process-view.ts';
import { type CliIo, complain, note } from '../cli-io.ts';
import { type EndSignal, onEndSignal, toSignalCode } from '../end-signals.ts';
import { exitCodes } from '../exit-code.ts';
import { toProgramName } from '../program-name.ts';
import { toPrintable } from '../render/printable.ts';
import { pad } from '../render/wrap.ts';
import { chooseProcesses, complainOfMissed } from '../state/choose-processes.ts';
import { type StateScene, withState } from '../state/with-state.ts';
import type { LogFlags } from './log-flags.ts';
import { type LogOrder, toLogOrder } from './log-order.ts';
import type { LogPiece, PieceSieve } from './log-piece.ts';
import {
  createJsonText,
  createNamedText,
  createRawText,
  createTerminalText,
  type LogText,
} from './log-text.ts';
import { createMatchingLines } from './matching-lines.ts';

interface Source {
  readonly state: StateDirectory;
  readonly view: ProcessView;
}

/**
 * Prints what processes wrote, and with `follow` what they write until their end: several one after another, or at once while they are
 * followed, each line behind the name of its process. @returns the exit code.
 */
export function printLogs(
  scene: StateScene<LogFlags> & { readonly words: readonly string[] },
): Promise<number> {
  const { flags, io } = scene;
  const order = toLogOrder(flags);
  return withState(scene, async (state) => {
    const chosen = await chooseProcesses(scene.words, { state, io });
    complainOfMissed(chosen, io);
    const views = chosen.processes.map(({ view }) => view);
    const leaving = new AbortController();
    let leftBy: EndSignal | null = null;
    const removeSignals = onEndSignal((signal) => {
      leftBy = signal;
      leaving.abort();
    });
    try {
      const codes = await inTurn(views, order, (view) =>
        print(
          { state, view },
          { order, text: chooseText(view, { views, flags, io }), flags, io, signal: leaving.signal },
        ),
      );
      const signal = leftBy as EndSignal | null;
      if (signal !== null) return toSignalCode(signal);
      return chosen.missed.length > 0 ? exitCodes.failed : Math.max(exitCodes.done, ...codes);
    } finally {
      removeSignals();
    }
  });
}

/** All at once while they are followed; else one after another. */
async function inTurn(
  views: readonly ProcessView[],
  { follows }: LogOrder,
  act: (view: ProcessView) => Promise<number>,
): Promise<readonly number[]> {
  if (follows) return Promise.all(views.map(act));
  const codes: number[] = [];
  for (const view of views) codes.push(await act(view));
  return codes;
}

function chooseText(
  view: ProcessView,
  { views, flags, io }: { views: readonly ProcessView[]; flags: LogFlags; io: CliIo },
): LogText {
  const isAlone = views.length === 1;
  if (flags.json === true) return createJsonText(isAlone ? {} : { id: view.id });
  const isShown = showsOnTerminal(flags, io);
  const text = isShown ? createTerminalText({ hasColours: hasColours(io) }) : createRawText();
  if (isAlone) return text;
  const width = Math.max(...views.map((each) => toShortName(each).length));
  return createNamedText(text, { name: `${pad(toShortName(view), width)} │`, isTerminal: isShown });
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

interface Printing {
  readonly order: LogOrder;
  readonly text: LogText;
  readonly flags: LogFlags;
  readonly io: CliIo;
  readonly signal: AbortSignal;
}

async function print(source: Source, { order, text, flags, io, signal }: Printing): Promise<number> {
  const span = await findSpan(source, order);
  if (span.problem !== null) {
    complain(io, `The output of ${source.view.id} cannot be read: ${span.problem}.`);
    return exitCodes.failed;
  }
  if (order.since > span.to) note(io, `--since is ${order.since}; the output has ${span.to} bytes so far.`);
  const sieve = createSieve(order, span);
  const write = async (pieces: readonly LogPiece[]) => {
    for (const piece of pieces)
      if (piece.bytes.byteLength > 0) await writeOut(text.push(piece), { io, signal });
  };
  const tellOfScreen = showsOnTerminal(flags, io) ? createScreenHint(source.view, io) : () => {};
  try {
    for await (const piece of readPieces(source, { order, span, io, signal })) {
      tellOfScreen(piece);
      await write(sieve.push(piece));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  await write(sieve.end());
  await writeOut(text.end(), { io, signal });
  const { degraded } = source.view.output;
  if (degraded !== null) note(io, `The output of ${source.view.id} may not be complete: ${degraded}.`);
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
    note(io, `${id} draws on the whole screen: ${program} screen ${id} shows it as it looks.`);
  };
}

/** See "alternate screen buffer" in xterm ctlseqs. */
const alternateScreen = /\x1b\[\?(?:47|1047|1049)h/;

/** Offsets between which the output of now is printed. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly problem: string | null;
}

/** Whoever looks for lines must look at all of them, however many are to be shown. */
async function findSpan(
  { state, view: { id } }: Source,
  { tail, since, stream, pattern }: LogOrder,
): Promise<Span> {
  const looksAtAll = tail === null || pattern !== null;
  const { from, to, problem } = await state.read(id, {
    since,
    format: 'raw',
    maxBytes: 1,
    tail: looksAtAll ? 0 : tail,
    ...(stream !== null && !looksAtAll && { stream }),
  });
  return { from: looksAtAll ? since : from, to, problem };
}

/** The output of now, and with `follows` what comes after it. */
async function* readPieces(
  { state, view: { id } }: Source,
  { order, span, io, signal }: { order: LogOrder; span: Span; io: CliIo; signal: AbortSignal },
): AsyncGenerator<LogPiece> {
  if (!order.follows && span.from >= span.to) return;
  for await (const { stream, offset, bytes, droppedBytes } of state.follow(id, { from: span.from, signal })) {
    if (droppedBytes > 0) note(io, `${droppedBytes} bytes before offset ${offset} are no longer kept.`);
    const left = order.follows ? bytes.byteLength : span.to - offset;
    const piece = { stream, offset, droppedBytes, bytes: bytes.subarray(0, Math.max(0, left)) };
    if (piece.bytes.byteLength > 0 || droppedBytes > 0) yield piece;
    if (!order.follows && offset + bytes.byteLength >= span.to) return;
  }
}

/** Lets through only what is asked for; of the matching lines of now, the last. */
function createSieve({ pattern, tail, stream }: LogOrder, span: Span): PieceSieve {
  const isWanted = (piece: LogPiece) => stream === null || piece.stream === stream;
  if (pattern === null) return { push: (piece) => (isWanted(piece) ? [piece] : []), end: () => [] };
  const matching = createMatchingLines(pattern);
  let held: LogPiece[] | null = tail === null || span.from >= span.to ? null : [];

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

/** Resolves once there is room for more, so that memory does not grow behind a slow reader. */
async function writeOut(
  data: string | Uint8Array,
  { io: { stdout }, signal }: { readonly io: CliIo; readonly signal: AbortSignal },
): Promise<void> {
  if (data.length === 0 || stdout.write(data)) return;
  await once(stdout, 'drain', { signal }).catch(() => {});
}

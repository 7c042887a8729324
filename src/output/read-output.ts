import { parseOptions } from '../config/parse-options.ts';
import { readOptions } from '../config/read-options.ts';
import { cutText, toByteWords } from './cut-text.ts';
import { createDecoder, type Decoder, looksBinary } from './decode.ts';
import { grepLines } from './grep.ts';
import { bytesToFinish } from './look-back.ts';
import { type OutputPiece, outputStreams, positionAfter, type StreamPositions } from './output-chunk.ts';
import type { OutputLog } from './output-log.ts';
import type { OutputStream } from './output-sink.ts';
import { toPlainText } from './plain-text.ts';
import { sliceLines, tailPositions } from './slice-lines.ts';

export interface ReadOptions {
  /** Where to begin: an offset (the `to` of an earlier read), positions, or a reader's cursor. The beginning by default. */
  readonly since?: number | StreamPositions | 'last';
  readonly stream?: 'stdout' | 'stderr' | 'screen' | 'both';
  /** Only the last lines; an unfinished one counts. */
  readonly tail?: number;
  /** Only so many lines; the read ends after them and the next one goes on there. The same as `limit`. */
  readonly lines?: number;
  /** Leave out the first lines of what is read. */
  readonly offset?: number;
  readonly limit?: number;
  /** Only lines that match this regular expression, without escape sequences; the options above then count matching lines. */
  readonly grep?: string;
  readonly ignoreCase?: boolean;
  /** Lines around each match. */
  readonly context?: number;
  /** `plain` (default): as a person would have seen it, see `toPlainText`. `raw`: as it was written. */
  readonly format?: 'plain' | 'raw';
  /** Longer texts keep head and tail. UTF-8 bytes, 32 KiB by default. */
  readonly maxBytes?: number;
}

/** What was read between two offsets. Plain data: it can be kept, sent, and acknowledged later. */
export interface OutputRead {
  readonly text: string;
  readonly from: number;
  /** A read `since` this goes on without loss and without repetition, also in the middle of a character. */
  readonly to: number;
  /** Bytes between `from` and `to` that were no longer in memory; a line in the text says where. */
  readonly droppedBytes: number;
  /** The text was longer than `maxBytes`. */
  readonly truncated: boolean;
  /** The process has ended, and this reaches to the end of its output. */
  readonly ended: boolean;
  /** In words why nothing could be read: then the text is empty and the cursor stays. */
  readonly problem: string | null;
  readonly positions: StreamPositions;
}

const defaultMaxBytes = 32 * 1024;
const beginning: StreamPositions = { stdout: 0, stderr: 0, screen: 0 };

/**
 * Reads what is kept, without moving anybody's cursor.
 *
 * @throws TroupeError `invalid-option`
 */
export function readOutput(log: OutputLog, options: ReadOptions = {}): OutputRead {
  parseOptions(readOptions, { input: options, name: 'read' });
  const span = findSpan(log, options);
  const text = toText(log, { span, format: options.format ?? 'plain' });
  const shown = options.grep === undefined ? text : grepText(text, { ...options, grep: options.grep });
  const base = {
    from: span.from,
    to: span.to,
    positions: span.end,
    droppedBytes: span.pieces.reduce(
      (sum, piece) => sum + (piece.type === 'gap' ? piece.droppedBytes : 0),
      0,
    ),
    ended: log.ended && span.reachesEnd,
  };
  if (typeof shown !== 'string') {
    return {
      ...base,
      to: span.from,
      positions: span.start,
      text: '',
      truncated: false,
      problem: shown.problem,
    };
  }
  const cut = cutText(shown, { maxBytes: options.maxBytes ?? defaultMaxBytes, logFile: log.logFile });
  return { ...base, text: cut.text, truncated: cut.cutBytes > 0, problem: null };
}

interface Span {
  readonly start: StreamPositions;
  readonly end: StreamPositions;
  readonly from: number;
  readonly to: number;
  readonly pieces: readonly OutputPiece[];
  readonly reachesEnd: boolean;
}

function findSpan(log: OutputLog, options: ReadOptions): Span {
  const stream = options.stream === 'both' ? undefined : options.stream;
  const cutsLines = options.grep === undefined;
  const since = options.since === undefined || options.since === 'last' ? beginning : options.since;
  const asked = typeof since === 'number' ? log.positionsAt(Math.min(since, log.bytes)) : since;
  const start =
    cutsLines && options.tail !== undefined
      ? tailPositions(log, { from: asked, lines: options.tail, stream })
      : asked;
  const kept = [...log.chunks(start, stream)];
  const limit = options.limit ?? options.lines;
  const pieces = cutsLines
    ? sliceLines(kept, { skip: options.offset ?? 0, take: limit ?? Number.POSITIVE_INFINITY })
    : kept;
  const last = pieces.at(-1);
  const reachesEnd = pieces.length === 0 ? (limit ?? 1) > 0 : isSameEnd(last, kept.at(-1));
  const end = { ...start };
  if (reachesEnd) {
    for (const name of stream === undefined ? outputStreams : [stream]) end[name] = log.positions[name];
  } else for (const piece of pieces) end[piece.stream] = Math.max(end[piece.stream], positionAfter(piece));
  const to = reachesEnd ? log.bytes : last === undefined ? startOffset(kept[0], log.bytes) : endOffset(last);
  const from =
    typeof since === 'number' && start === asked ? Math.min(since, log.bytes) : startOffset(kept[0], to);
  return { start, end, from, to, pieces, reachesEnd };
}

function isSameEnd(a: OutputPiece | undefined, b: OutputPiece | undefined): boolean {
  return a !== undefined && b !== undefined && endOffset(a) === endOffset(b);
}

function endOffset(piece: OutputPiece): number {
  return piece.type === 'gap' ? piece.to : piece.offset + piece.bytes.byteLength;
}

function startOffset(piece: OutputPiece | undefined, whenNone: number): number {
  if (piece === undefined) return whenNone;
  return piece.type === 'gap' ? piece.from : piece.offset;
}

function toText(log: OutputLog, { span, format }: { span: Span; format: 'plain' | 'raw' }): string {
  const binary = format === 'raw' ? [] : outputStreams.filter((stream) => isBinary(span.pieces, stream));
  const decoders = new Map<OutputStream, Decoder>();
  let text = '';
  for (const piece of span.pieces) {
    const { stream } = piece;
    if (binary.includes(stream)) continue;
    if (piece.type === 'gap') {
      text = ownLine(text, `[… ${piece.droppedBytes} bytes of ${stream} are no longer kept …]`);
      decoders.set(stream, createDecoder());
      continue;
    }
    let decoder = decoders.get(stream);
    if (decoder === undefined) {
      decoder = createDecoder();
      decoders.set(stream, decoder);
      text += decoder.push(bytesToFinish(log, { stream, position: piece.position, format }));
    }
    text += decoder.push(piece.bytes);
  }
  if (log.ended && span.reachesEnd) for (const decoder of decoders.values()) text += decoder.flush();
  // Before grep, which could ask for a secret letter by letter, and before the text is cut, perhaps inside one.
  const plain = log.hide(format === 'raw' ? text : toPlainText(text));
  return binary.reduce((shown, stream) => {
    const bytes = span.end[stream] - span.start[stream];
    return ownLine(shown, `[${stream}: binary, ${toByteWords(bytes)}]`);
  }, plain);
}

function isBinary(pieces: readonly OutputPiece[], stream: OutputStream): boolean {
  return looksBinary(
    pieces.flatMap((piece) => (piece.type === 'chunk' && piece.stream === stream ? [piece.bytes] : [])),
  );
}

function ownLine(text: string, line: string): string {
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`;
}

function grepText(text: string, options: ReadOptions & { grep: string }): string | { problem: string } {
  const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  const result = grepLines(text === '' ? [] : lines, {
    pattern: options.grep,
    ...(options.ignoreCase === undefined ? {} : { ignoreCase: options.ignoreCase }),
    ...(options.context === undefined ? {} : { context: options.context }),
  });
  if (result.type === 'problem') return result;
  const from = options.offset ?? 0;
  const limit = options.limit ?? options.lines ?? Number.POSITIVE_INFINITY;
  const limited = result.lines.slice(from, from + limit);
  const shown =
    options.tail === undefined ? limited : limited.slice(Math.max(0, limited.length - options.tail));
  return shown.length === 0 ? '' : `${shown.join('\n')}\n`;
}

import { parseOptions } from '../config/parse-options.ts';
import { readOptions } from '../config/read-options.ts';
import { cutEnds, cutText, toByteWords } from './cut-text.ts';
import { createDecoder, type Decoder, looksBinary } from './decode.ts';
import { findSpan } from './find-span.ts';
import { grepLines } from './grep.ts';
import { bytesToFinish } from './look-back.ts';
import { type OutputPiece, outputStreams } from './output-chunk.ts';
import type { OutputLog } from './output-log.ts';
import type { OutputRead, ReadOptions } from './output-read.ts';
import type { OutputStream } from './output-sink.ts';
import { toPlainText } from './plain-text.ts';
import { mostBytesOfFile, type ReadSpan } from './read-span.ts';

export type { OutputRead, ReadOptions } from './output-read.ts';

const defaultMaxBytes = 32 * 1024;

/**
 * Reads what is kept, without moving anybody's cursor. Of a log that the process writes into a file itself no more is read than can
 * be shown: where head and tail of a long one are, its middle is not looked at, and what plain text folds is folded within either.
 * What is left out of it is then counted in bytes of the file. A search without `since` looks through the newest 1 MiB, one with `since` through
 * the next 1 MiB; a line says so, and `to` is where it stopped.
 *
 * @throws TroupeError `invalid-option`
 */
export function readOutput(log: OutputLog, options: ReadOptions = {}): OutputRead {
  parseOptions(readOptions, { input: options, name: 'read' });
  const asked = options.maxBytes ?? defaultMaxBytes;
  const maxBytes = log.onDisk === null ? asked : Math.min(asked, mostBytesOfFile);
  const span = findSpan(log, { ...options, maxBytes });
  const shown = span.problem === null ? show(log, { span, options, maxBytes }) : { problem: span.problem };
  const { from, to, end, droppedBytes } = span;
  const ended = log.ended && span.reachesEnd;
  if ('problem' in shown) {
    const nothing = { text: '', truncated: false, problem: shown.problem };
    return { from, to: from, positions: span.start, droppedBytes, ended, ...nothing };
  }
  return { from, to, positions: end, droppedBytes, ended, ...shown, problem: null };
}

type Shown = { readonly text: string; readonly truncated: boolean } | { readonly problem: string };

interface Showing {
  readonly span: ReadSpan;
  readonly options: ReadOptions;
  readonly maxBytes: number;
}

function show(log: OutputLog, { span, options, maxBytes }: Showing): Shown {
  const format = options.format ?? 'plain';
  const { grep } = options;
  const { logFile } = log;
  if (span.rest !== null) return showEnds(log, { span, options, maxBytes });
  const text = toText(log, { span, format });
  const found =
    grep === undefined
      ? text
      : grepText(text, { ...options, grep, unsearched: span.unsearched, to: span.to });
  if (typeof found !== 'string') return found;
  const cut = cutText(found, { maxBytes, logFile });
  const isCutShort = span.isCutShort || span.unsearched.before + span.unsearched.behind > 0;
  return { text: cut.text, truncated: cut.cutBytes > 0 || isCutShort };
}

function showEnds(log: OutputLog, { span, options, maxBytes }: Showing): Shown {
  const format = options.format ?? 'plain';
  const rest = span.rest ?? [];
  const all = [...span.pieces, ...rest];
  const stream = log.onDisk?.stream ?? 'stdout';
  if (format === 'plain' && isBinary(all, stream)) {
    const bytes = span.end[stream] - span.start[stream];
    return { text: `[${stream}: binary, ${toByteWords(bytes)}]\n`, truncated: false };
  }
  const head = Buffer.from(toText(log, { span: { ...span, reachesEnd: false }, format }));
  const tail = Buffer.from(toText(log, { span: { ...span, pieces: rest }, format }));
  const { betweenBytes } = span;
  return {
    text: cutEnds({ head, tail, betweenBytes }, { maxBytes, logFile: log.logFile }).text,
    truncated: true,
  };
}

function toText(log: OutputLog, { span, format }: { span: ReadSpan; format: 'plain' | 'raw' }): string {
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

interface Search extends ReadOptions {
  readonly grep: string;
  readonly unsearched: ReadSpan['unsearched'];
  readonly to: number;
}

function grepText(searched: string, options: Search): string | { problem: string } {
  const { before, behind } = options.unsearched;
  const text = before > 0 ? searched.slice(searched.indexOf('\n') + 1) : searched;
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
  const found = shown.length === 0 ? '' : `${shown.join('\n')}\n`;
  const older =
    before > 0 ? `[… the first ${before} bytes were not searched: \`since\` 0 begins there …]\n` : '';
  const newer =
    behind > 0
      ? `[… the last ${behind} bytes were not searched: go on with \`since\` ${options.to} …]\n`
      : '';
  return `${older}${found}${newer}`;
}

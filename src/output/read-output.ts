import { parseOptions } from '../config/parse-options.ts';
import { readOptions } from '../config/read-options.ts';
import { cutText, formatBytes, joinParts, type TextPart } from './cut-text.ts';
import { createDecoder, type Decoder, looksBinary, unfinishedBytes } from './decode.ts';
import { droppedIn, findSpan, maxFileReadBytes, type ReadSpan } from './find-span.ts';
import { grepLines } from './grep.ts';
import { type OutputGap, type OutputPiece, outputStreams } from './output-chunk.ts';
import type { OutputLog } from './output-log.ts';
import type { OutputRead, ReadOptions } from './output-read.ts';
import type { OutputStream } from './output-sink.ts';
import { toPlainText, unfinishedEscapeLength } from './plain-text.ts';

export type { OutputRead, ReadOptions } from './output-read.ts';

const defaultMaxBytes = 32 * 1024;

/**
 * Reads kept output without moving any cursor. A log that its process writes itself is read only as far as it
 * can be shown: the middle of a long one is skipped, and plain text is folded within either end; omitted
 * bytes are then bytes of the file. A search without `since` covers the newest 1 MiB, one with `since` the
 * next 1 MiB; a line reports that, and `to` is where the search stopped.
 *
 * @throws TroupeError `invalid-option`
 */
export function readOutput(log: OutputLog, options: ReadOptions = {}): OutputRead {
  parseOptions(readOptions, { input: options, name: 'read' });
  const asked = options.maxBytes ?? defaultMaxBytes;
  const maxBytes = log.onDisk === null ? asked : Math.min(asked, maxFileReadBytes);
  const span = findSpan(log, { ...options, maxBytes });
  const shown = span.problem === null ? show(log, { span, options, maxBytes }) : { problem: span.problem };
  const { from, to, end, droppedBytes } = span;
  const ended = log.ended && span.reachesEnd;
  if ('problem' in shown) {
    const nothing = { text: '', omittedBytes: 0, truncated: false, problem: shown.problem };
    return { from, to: from, positions: span.start, droppedBytes, ended, ...nothing };
  }
  return { from, to, positions: end, droppedBytes, ended, ...shown, problem: null };
}

type Shown =
  | { readonly text: string; readonly omittedBytes: number; readonly truncated: boolean }
  | { readonly problem: string };

interface Showing {
  readonly span: ReadSpan;
  readonly options: ReadOptions;
  readonly maxBytes: number;
}

function show(log: OutputLog, { span, options, maxBytes }: Showing): Shown {
  const { format = 'plain', grep } = options;
  const where = whereElse(log);
  if (span.rest !== null) return showEnds(log, { span, options, maxBytes });
  const parts = toParts(log, { span, format });
  const { unsearched, to } = span;
  const found = grep === undefined ? null : grepText(joinParts(parts), { ...options, grep, unsearched, to });
  if (found !== null && typeof found !== 'string') return found;
  const cut = cutText(found === null ? parts : [{ type: 'text', text: found }], { maxBytes, where });
  const isCutShort = span.isCutShort || unsearched.before + unsearched.behind > 0;
  const omittedBytes = cut.omittedBytes + (found === null ? 0 : span.droppedBytes);
  return { text: cut.text, omittedBytes, truncated: cut.isCut || isCutShort };
}

function showEnds(log: OutputLog, { span, options, maxBytes }: Showing): Shown {
  const format = options.format ?? 'plain';
  const rest = span.rest ?? [];
  const stream = log.onDisk?.stream ?? 'stdout';
  if (format === 'plain' && isBinary([...span.pieces, ...rest], stream)) {
    const bytes = span.end[stream] - span.start[stream];
    return { text: `[${stream}: binary, ${formatBytes(bytes)}]\n`, omittedBytes: bytes, truncated: false };
  }
  const head = toParts(log, { span: { ...span, reachesEnd: false }, format });
  const tail = toParts(log, { span: { ...span, pieces: rest }, format });
  const droppedBetween = span.droppedBytes - droppedIn(span.pieces) - droppedIn(rest);
  const between: TextPart = { type: 'gap', bytes: span.betweenBytes + droppedBetween, line: null };
  const cut = cutText([...head, between, ...tail], { maxBytes, where: whereElse(log) });
  return { text: cut.text, omittedBytes: cut.omittedBytes, truncated: true };
}

/** Tells where the rest can be read, as the end of a sentence. */
function whereElse(log: OutputLog): string {
  const { logFile } = log;
  if (logFile === null) return '';
  const { missingInFile } = log;
  return missingInFile === 0
    ? `; all of it is in ${logFile}`
    : `; ${logFile} has all but ${missingInFile} bytes of the output`;
}

/** Converts a span to text parts, divided where output is missing. */
function toParts(log: OutputLog, { span, format }: { span: ReadSpan; format: 'plain' | 'raw' }): TextPart[] {
  const binary = format === 'raw' ? [] : outputStreams.filter((stream) => isBinary(span.pieces, stream));
  const decoders = new Map<OutputStream, Decoder>();
  const parts: TextPart[] = [];
  let text = '';
  const endText = () => {
    // Redacted before grep, which could extract a secret letter by letter, and before cutting, which could
    // divide one.
    if (text !== '')
      parts.push({ type: 'text', text: log.redact(format === 'raw' ? text : toPlainText(text)) });
    text = '';
  };
  for (const piece of span.pieces) {
    const { stream } = piece;
    if (binary.includes(stream)) continue;
    if (piece.type === 'gap') {
      endText();
      parts.push({ type: 'gap', bytes: piece.droppedBytes, line: describeGap(log, piece) });
      decoders.set(stream, createDecoder());
      continue;
    }
    let decoder = decoders.get(stream);
    if (decoder === undefined) {
      decoder = createDecoder();
      decoders.set(stream, decoder);
      text += decoder.push(unfinishedBytesBefore(log, { stream, position: piece.position, format }));
    }
    text += decoder.push(piece.bytes);
  }
  if (log.ended && span.reachesEnd) for (const decoder of decoders.values()) text += decoder.flush();
  endText();
  for (const stream of binary) {
    const bytes = span.end[stream] - span.start[stream];
    parts.push({ type: 'gap', bytes, line: `[${stream}: binary, ${formatBytes(bytes)}]` });
  }
  return parts;
}

function describeGap(log: OutputLog, { stream, droppedBytes }: OutputGap): string {
  const isInFile = log.onDisk === null && log.logFile !== null;
  const what = `${droppedBytes} bytes of ${stream} are no longer`;
  return isInFile ? `[… ${what} in memory${whereElse(log)} …]` : `[… ${what} kept …]`;
}

function isBinary(pieces: readonly OutputPiece[], stream: OutputStream): boolean {
  return looksBinary(
    pieces.flatMap((piece) => (piece.type === 'chunk' && piece.stream === stream ? [piece.bytes] : [])),
  );
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
      ? `[… the last ${behind} bytes were not searched: continue with \`since\` ${options.to} …]\n`
      : '';
  return `${older}${found}${newer}`;
}

/** The rest of longer escape sequences is shown if a read divides them. */
const longestEscapeBytes = 1024;

/**
 * Returns the bytes before a position that an earlier read did not show because they begin an unfinished
 * character or, in plain text, an escape sequence. What a cursor divides belongs to the read that sees its
 * end.
 */
export function unfinishedBytesBefore(
  log: OutputLog,
  at: { stream: OutputStream; position: number; format: 'plain' | 'raw' },
): Uint8Array {
  const before = bytesBefore(log, at);
  const unfinished = unfinishedBytes(before);
  const whole = before.subarray(0, before.byteLength - unfinished);
  const escapeText = at.format === 'raw' ? '' : whole.toString();
  const escapeLength = unfinishedEscapeLength(escapeText);
  const escapeBytes = escapeLength === 0 ? 0 : Buffer.byteLength(escapeText.slice(-escapeLength));
  return before.subarray(Math.max(0, before.byteLength - unfinished - escapeBytes));
}

function bytesBefore(log: OutputLog, at: { stream: OutputStream; position: number }): Buffer {
  const from = Math.max(0, at.position - longestEscapeBytes);
  let before: Uint8Array[] = [];
  for (const piece of log.chunks({ stdout: from, stderr: from, screen: from }, at.stream)) {
    if (piece.position >= at.position) break;
    if (piece.type === 'gap') before = [];
    else before.push(piece.bytes.subarray(0, at.position - piece.position));
  }
  return Buffer.concat(before);
}

import { findOnDisk } from './find-on-disk.ts';
import { type OutputPiece, outputStreams, positionAfter, type StreamPositions } from './output-chunk.ts';
import type { OutputLog } from './output-log.ts';
import type { ReadOptions } from './output-read.ts';
import { droppedIn, mostCountedBytes, type ReadSpan, type SpanAsk, wholeSpan } from './read-span.ts';
import { sliceLines, tailPositions } from './slice-lines.ts';

const beginning: StreamPositions = { stdout: 0, stderr: 0, screen: 0 };

export function findSpan(log: OutputLog, options: SpanAsk): ReadSpan {
  const known = { ...log.positions };
  const total = outputStreams.reduce((sum, stream) => sum + known[stream], 0);
  const { start, isCutShort, asked } = findStart(log, options, total);
  const stream = log.onDisk?.stream;
  if (stream !== undefined && (toStream(options) ?? stream) === stream) {
    const given = { options, stream, start: start[stream], known: known[stream] };
    const found = { start, ...findOnDisk(log, given) };
    const from = isNumber(options.since) && start === asked ? Math.min(options.since, total) : found.from;
    return { ...found, from: Math.min(from, found.to), isCutShort: isCutShort || found.isCutShort };
  }
  return findInMemory(log, { options, start, asked, known, total });
}

function isNumber(since: ReadOptions['since']): since is number {
  return typeof since === 'number';
}

function findStart(log: OutputLog, options: SpanAsk, total: number) {
  const since = options.since === undefined || options.since === 'last' ? beginning : options.since;
  const asked = typeof since === 'number' ? log.positionsAt(Math.min(since, total)) : since;
  if (options.tail === undefined || options.grep !== undefined)
    return { asked, start: asked, isCutShort: false };
  const found = tailPositions(log, {
    ...{ from: asked, lines: options.tail, stream: toStream(options) },
    mostBytes: log.onDisk === null ? Number.POSITIVE_INFINITY : mostCountedBytes,
  });
  return { asked, start: found.positions, isCutShort: found.isCutShort };
}

function toStream({ stream }: ReadOptions) {
  return stream === 'both' ? undefined : stream;
}

function findInMemory(
  log: OutputLog,
  {
    options,
    start,
    asked,
    known,
    total,
  }: {
    options: SpanAsk;
    start: StreamPositions;
    asked: StreamPositions;
    known: StreamPositions;
    total: number;
  },
): ReadSpan {
  const stream = toStream(options);
  const kept = [...log.chunks(start, stream)];
  const limit = options.limit ?? options.lines;
  const pieces =
    options.grep === undefined
      ? sliceLines(kept, { skip: options.offset ?? 0, take: limit ?? Number.POSITIVE_INFINITY })
      : kept;
  const last = pieces.at(-1);
  const reachesEnd = pieces.length === 0 ? (limit ?? 1) > 0 : isSameEnd(last, kept.at(-1));
  const end = { ...start };
  if (reachesEnd) {
    for (const name of stream === undefined ? outputStreams : [stream]) end[name] = known[name];
  } else for (const piece of pieces) end[piece.stream] = Math.max(end[piece.stream], positionAfter(piece));
  const to = reachesEnd ? total : last === undefined ? startOffset(kept[0], total) : endOffset(last);
  const from =
    isNumber(options.since) && start === asked ? Math.min(options.since, total) : startOffset(kept[0], to);
  return { ...wholeSpan, start, end, from, to, pieces, droppedBytes: droppedIn(pieces), reachesEnd };
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

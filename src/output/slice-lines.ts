import { countNewlines } from './newline-count.ts';
import type { OutputPiece, StreamPositions } from './output-chunk.ts';
import type { OutputLog } from './output-log.ts';
import type { OutputStream } from './output-sink.ts';

const newline = 10;

/** Returns the pieces without the first `skip` lines, up to the end of the following `take` lines. */
export function sliceLines(
  pieces: readonly OutputPiece[],
  lines: { skip: number; take: number },
): OutputPiece[] {
  if (lines.skip <= 0 && lines.take === Number.POSITIVE_INFINITY) return [...pieces];
  const kept: OutputPiece[] = [];
  let { skip, take } = lines;
  for (const piece of pieces) {
    if (take <= 0) break;
    if (piece.type === 'gap') {
      if (skip <= 0) kept.push(piece);
      continue;
    }
    const { bytes } = piece;
    let from = 0;
    while (skip > 0 && from < bytes.byteLength) {
      const end = bytes.indexOf(newline, from);
      if (end !== -1) skip -= 1;
      from = end === -1 ? bytes.byteLength : end + 1;
    }
    let to = from;
    while (take > 0 && to < bytes.byteLength) {
      const end = bytes.indexOf(newline, to);
      if (end !== -1) take -= 1;
      to = end === -1 ? bytes.byteLength : end + 1;
    }
    if (to === from) continue;
    kept.push({
      ...piece,
      offset: piece.offset + from,
      position: piece.position + from,
      bytes: bytes.subarray(from, to),
    });
  }
  return kept;
}

/** Finds the start of the line after the first `skip` ones, without keeping what is skipped. */
export function findLine(
  pieces: Iterable<OutputPiece>,
  { skip, maxBytes }: { skip: number; maxBytes: number },
): { readonly type: 'found'; readonly position: number } | { readonly type: 'not-there' | 'too-far' } {
  if (skip <= 0) return { type: 'found', position: 0 };
  let left = skip;
  let room = maxBytes;
  for (const piece of pieces) {
    if (piece.type === 'gap') continue;
    const { bytes } = piece;
    const lines = countNewlines(bytes);
    if (lines < left) {
      left -= lines;
      room -= bytes.byteLength;
      if (room <= 0) return { type: 'too-far' };
      continue;
    }
    let at = -1;
    for (; left > 0; left -= 1) at = bytes.indexOf(newline, at + 1);
    return { type: 'found', position: piece.position + at + 1 };
  }
  return { type: 'not-there' };
}

/**
 * Finds where the last lines begin, not before `from`. Walks from the newest end, so that its cost does not
 * depend on the amount kept. Lines beyond `maxBytes` are cut short.
 */
export function tailPositions(
  log: OutputLog,
  options: { from: StreamPositions; lines: number; stream: OutputStream | undefined; maxBytes: number },
): { readonly positions: StreamPositions; readonly isCutShort: boolean } {
  const { from, stream } = options;
  const found = (positions: StreamPositions, isCutShort = false) => ({
    positions: later(from, positions),
    isCutShort,
  });
  if (options.lines <= 0) return found(log.positions);
  let left = options.lines;
  let room = options.maxBytes;
  let isNewest = true;
  for (const chunk of log.chunksBackward(stream)) {
    const { bytes } = chunk;
    // A trailing line break does not begin another line.
    let before = isNewest && bytes.at(-1) === newline ? bytes.byteLength - 2 : bytes.byteLength - 1;
    isNewest = false;
    const lines = countNewlines(bytes.subarray(0, before + 1));
    if (lines < left) left -= lines;
    else
      for (; ; before -= 1) {
        before = bytes.lastIndexOf(newline, before);
        left -= 1;
        if (left === 0) return found(log.positionsAt(chunk.offset + before + 1));
      }
    room -= bytes.byteLength;
    if (room <= 0) return found(log.positionsAt(chunk.offset), true);
    if (log.onDisk !== null && chunk.position <= from[chunk.stream]) break;
  }
  return { positions: from, isCutShort: false };
}

function later(a: StreamPositions, b: StreamPositions): StreamPositions {
  return {
    stdout: Math.max(a.stdout, b.stdout),
    stderr: Math.max(a.stderr, b.stderr),
    screen: Math.max(a.screen, b.screen),
  };
}

import { countNewlines } from './newline-count.ts';
import { type OutputPiece, positionAfter, type StreamPositions } from './output-chunk.ts';
import type { OutputLog } from './output-log.ts';
import type { OutputStream } from './output-sink.ts';

const newline = 10;

/** Returns the pieces up to the end of the first `count` lines. */
export function takeLines(pieces: readonly OutputPiece[], count: number): OutputPiece[] {
  const kept: OutputPiece[] = [];
  let left = count;
  for (const piece of pieces) {
    if (left <= 0) break;
    if (piece.type === 'gap') {
      kept.push(piece);
      continue;
    }
    const { bytes } = piece;
    let to = 0;
    while (left > 0 && to < bytes.byteLength) {
      const end = bytes.indexOf(newline, to);
      if (end !== -1) left -= 1;
      to = end === -1 ? bytes.byteLength : end + 1;
    }
    kept.push({ ...piece, bytes: bytes.subarray(0, to) });
  }
  return kept;
}

/** Finds the start of the line after the first `skip` ones, without keeping what is skipped. */
export function skipLines(
  pieces: Iterable<OutputPiece>,
  { skip, maxBytes, from }: { skip: number; maxBytes: number; from: StreamPositions },
):
  | { readonly type: 'found'; readonly positions: StreamPositions }
  | { readonly type: 'not-there' | 'too-far' } {
  const positions = { ...from };
  if (skip <= 0) return { type: 'found', positions };
  let left = skip;
  let room = maxBytes;
  for (const piece of pieces) {
    positions[piece.stream] = positionAfter(piece);
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
    positions[piece.stream] = piece.position + at + 1;
    return { type: 'found', positions };
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

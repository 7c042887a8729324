import type { OutputPiece, StreamPositions } from './output-chunk.ts';
import type { OutputLog } from './output-log.ts';
import type { OutputStream } from './output-sink.ts';

const newline = 10;

/** The pieces without the first `skip` lines, up to the end of the line that is number `take` after them. */
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

/** Where the last lines begin, not before `from`. It walks from the newest end: its cost does not depend on what is kept. */
export function tailPositions(
  log: OutputLog,
  options: { from: StreamPositions; lines: number; stream: OutputStream | undefined },
): StreamPositions {
  const { from, stream } = options;
  let left = Math.max(0, options.lines);
  let isNewest = true;
  for (const chunk of log.chunksBackward(stream)) {
    const { bytes } = chunk;
    // A line break at the very end does not begin another line.
    let before =
      isNewest && left > 0 && bytes.at(-1) === newline ? bytes.byteLength - 2 : bytes.byteLength - 1;
    isNewest = false;
    if (options.lines <= 0) return later(from, log.positions);
    for (; before >= -1; before -= 1) {
      const at = before === -1 ? -1 : bytes.lastIndexOf(newline, before);
      if (at === -1) break;
      left -= 1;
      if (left === 0) return later(from, log.positionsAt(chunk.offset + at + 1));
      before = at;
    }
  }
  return from;
}

function later(a: StreamPositions, b: StreamPositions): StreamPositions {
  return {
    stdout: Math.max(a.stdout, b.stdout),
    stderr: Math.max(a.stderr, b.stderr),
    screen: Math.max(a.screen, b.screen),
  };
}

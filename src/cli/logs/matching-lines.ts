import { toPlainText } from '../../output/plain-text.ts';
import type { LogPiece, PieceSieve } from './log-piece.ts';

const NEWLINE = 10;

/** Whole lines that match, with their line feeds. Escape sequences do not count; an unfinished line counts at the end. */
export function createMatchingLines(pattern: RegExp): PieceSieve {
  const open = new Map<LogPiece['stream'], LogPiece>();

  const push = (piece: LogPiece): readonly LogPiece[] => {
    const begun = open.get(piece.stream);
    const whole =
      begun === undefined ? piece : { ...begun, bytes: Buffer.concat([begun.bytes, piece.bytes]) };
    const lines: LogPiece[] = [];
    let from = 0;
    for (let end = whole.bytes.indexOf(NEWLINE); end !== -1; end = whole.bytes.indexOf(NEWLINE, from)) {
      lines.push(cut(whole, { from, to: end + 1 }));
      from = end + 1;
    }
    if (from === whole.bytes.byteLength) open.delete(piece.stream);
    else open.set(piece.stream, cut(whole, { from, to: whole.bytes.byteLength }));
    return lines.filter(isMatch);
  };

  const isMatch = ({ bytes }: LogPiece) => pattern.test(toPlainText(Buffer.from(bytes).toString().trimEnd()));

  return {
    push,
    end: () => {
      const rest = [...open.values()].sort((a, b) => a.offset - b.offset);
      open.clear();
      return rest.filter(isMatch);
    },
  };
}

/** Other streams may have written between the parts of a line: its offset is that of its first byte. */
function cut(piece: LogPiece, { from, to }: { readonly from: number; readonly to: number }): LogPiece {
  return { ...piece, offset: piece.offset + from, bytes: piece.bytes.subarray(from, to) };
}

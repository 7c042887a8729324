import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter();

/**
 * Breaks one line at its blanks into rows of at most `width` columns; what has no blank is broken where it must be. Rows
 * after the first keep the indent of the first.
 */
export function wrap(line: string, width: number): string[] {
  if (stringWidth(line) <= width) return [line];
  const indent = (/^ */.exec(line)?.[0] ?? '').slice(0, Math.floor(width / 2));
  const rows: string[] = [];
  let row = '';
  for (const word of line.trimStart().split(/(?<=\S)(?= )/)) {
    if (stringWidth(indent + row + word) <= width) {
      row += word;
      continue;
    }
    if (row !== '') rows.push(indent + row);
    const pieces = breakWord(word.trimStart(), width - indent.length);
    rows.push(...pieces.slice(0, -1).map((piece) => indent + piece));
    row = pieces.at(-1) ?? '';
  }
  return [...rows, indent + row];
}

function breakWord(word: string, width: number): string[] {
  if (stringWidth(word) <= width) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const { segment } of segmenter.segment(word)) {
    if (piece !== '' && stringWidth(piece + segment) > width) {
      pieces.push(piece);
      piece = '';
    }
    piece += segment;
  }
  return [...pieces, piece];
}

/** The beginning of a line that fits; what was cut off is `…`. */
export function clip(line: string, width: number): string {
  if (stringWidth(line) <= width) return line;
  return `${breakWord(line, Math.max(1, width - 1))[0] ?? ''}…`;
}

/** Filled up with blanks to `width` columns. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}

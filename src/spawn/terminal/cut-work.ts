/** Orders that touch the whole screen: lines and columns that move, other screens, resets. Others touch a line at most. */
const whole = String.raw`(?:\x1b\[|\x9b)(?:[\d;:]*(?:[LMSTJ]|[ '][@A}~])|\?[\d;]*(?:47|49|J)[hl]?)|\x1b(?:c|#8)`;
const orders = new RegExp(`(${whole})|\\x1b`, 'g');

/** So many places of the screen are touched in one piece, and so many are reckoned for a small order. */
const mostPlaces = 32 * 1024;
const placesOfSmall = 100;

/** Bytes of plain text that take as long to draw as one place takes to be moved. */
const bytesPerPlace = 1.5;

export interface Work {
  readonly text: string;
  /** How long it takes to draw, in bytes of plain text. */
  readonly weight: number;
}

/** Cuts it so that each piece is soon drawn: between two of them the emulator looks at the clock. */
export function cutWork(text: string, { places, bytes }: { places: number; bytes: number }): readonly Work[] {
  const pieces: Work[] = [];
  let from = 0;
  let touched = 0;
  let moved = 0;
  for (const { index, 1: isWhole } of text.matchAll(orders)) {
    if (touched >= mostPlaces) {
      pieces.push({ text: text.slice(from, index), weight: moved * bytesPerPlace });
      [from, touched, moved] = [index, 0, 0];
    }
    touched += isWhole === undefined ? placesOfSmall : places;
    if (isWhole !== undefined) moved += places;
  }
  return [...pieces, { text: text.slice(from), weight: moved * bytesPerPlace + bytes }];
}

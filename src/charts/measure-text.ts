/**
 * Widths of characters in em. They are those of DejaVu Sans, the widest of the common sans-serif fonts: text that fits with them fits
 * in every font that a browser may choose.
 */
const widths: ReadonlyMap<string, number> = new Map(
  Object.entries({
    '.,| ': 0.32,
    ijlI: 0.29,
    'J:;/\\': 0.34,
    'f-': 0.36,
    '[]()t': 0.39,
    r: 0.41,
    '_s"z*': 0.53,
    cvxykLF: 0.58,
    'aeoTYP?': 0.62,
    'bdghnpquS0123456789$#': 0.64,
    ABVXZKEC: 0.69,
    'DGHNUR+=<>~^&': 0.78,
    'OQMw@%': 0.86,
    mW: 0.99,
  }).flatMap(([characters, width]) => [...characters].map((character) => [character, width] as const)),
);

const OTHER_LATIN = 0.7;
const WIDE = 1.05;
const BOLD = 1.12;

/** Font size and weight of a text. */
export interface Font {
  /** Height of the text, in px. */
  readonly size: number;
  readonly isBold?: boolean;
}

/** Returns the largest width that a text may have, in px. */
export function measureText(text: string, { size, isBold = false }: Font): number {
  let em = 0;
  for (const character of text)
    em += widths.get(character) ?? (character.charCodeAt(0) < 0x2e80 ? OTHER_LATIN : WIDE);
  return em * size * (isBold ? BOLD : 1);
}

/** Breaks a text into lines between words; a word wider than a line is broken inside. */
export function wrapText(text: string, maxWidth: number, font: Font): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).flatMap((each) => breakWord(each, maxWidth, font))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || measureText(longer, font) <= maxWidth) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return line === '' ? lines : [...lines, line];
}

function breakWord(word: string, maxWidth: number, font: Font): readonly string[] {
  if (measureText(word, font) <= maxWidth) return [word];
  const pieces: string[] = [];
  let piece = '';
  for (const character of word) {
    if (piece !== '' && measureText(piece + character, font) > maxWidth) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}

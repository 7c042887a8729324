import type { ScreenCapture } from '../../machines/process/terminal.ts';
import { markAt, redactText } from '../output/redact.ts';

/**
 * Returns the screen with every secret covered in place, also across the end of a row. A part of a secret that is being typed, or whose
 * beginning has scrolled out, is covered from half its length on. Returns the same object where there is nothing to cover.
 */
export function hideOnScreen(screen: ScreenCapture, secrets: readonly string[]): ScreenCapture {
  if (secrets.length === 0) return screen;
  const rows = [...screen.scrollback, ...screen.lines];
  const { row, column } = screen.cursor;
  const seen = readCharacters(rows, { row: screen.scrollback.length + row, column });
  const covered = new Map<number, string>();
  for (const secret of secrets) {
    const needle = withoutBlanks(secret);
    for (const { from, length } of needle === '' ? [] : findAll(seen, needle)) {
      for (let index = 0; index < length; index += 1) covered.set(from + index, markAt(index));
    }
  }
  const title = screen.title === null ? null : redactText(screen.title, secrets);
  if (covered.size === 0) return title === screen.title ? screen : { ...screen, title };
  const shown = cover(rows, { places: seen.places, covered });
  const firstLine = screen.scrollback.length;
  // Highlights repeat parts of the lines.
  const { highlights: _, ...rest } = screen;
  return { ...rest, title, scrollback: shown.slice(0, firstLine), lines: shown.slice(firstLine) };
}

/** The visible characters without blanks: a row ends where the screen does, and its trailing blanks may be missing. */
interface Seen {
  readonly text: string;
  readonly places: readonly { readonly row: number; readonly index: number }[];
  /** Number of characters before the cursor. */
  readonly beforeCursor: number;
}

function readCharacters(rows: readonly string[], cursor: { row: number; column: number }): Seen {
  const places: { row: number; index: number }[] = [];
  let text = '';
  let beforeCursor = 0;
  for (const [row, line] of rows.entries()) {
    for (let index = 0; index < line.length; index += 1) {
      const character = line[index] ?? ' ';
      if (/\s/.test(character)) continue;
      text += character;
      places.push({ row, index });
      if (row < cursor.row || (row === cursor.row && index < cursor.column)) beforeCursor = places.length;
    }
  }
  return { text, places, beforeCursor };
}

interface Found {
  readonly from: number;
  readonly length: number;
}

function findAll({ text, beforeCursor }: Seen, needle: string): Found[] {
  const found: Found[] = [];
  for (let from = text.indexOf(needle); from !== -1; from = text.indexOf(needle, from + 1)) {
    found.push({ from, length: needle.length });
  }
  const half = Math.ceil(needle.length / 2);
  for (let length = needle.length - 1; length >= half; length -= 1) {
    const isTyped = text.slice(0, beforeCursor).endsWith(needle.slice(0, length));
    if (isTyped) found.push({ from: beforeCursor - length, length });
    if (text.startsWith(needle.slice(-length))) found.push({ from: 0, length });
  }
  return found;
}

function cover(
  rows: readonly string[],
  { places, covered }: { places: Seen['places']; covered: ReadonlyMap<number, string> },
): string[] {
  const shown = rows.map((line) => line.split(''));
  for (const [at, character] of covered) {
    const { row, index } = places[at] ?? { row: -1, index: -1 };
    const line = shown[row];
    if (line !== undefined) line[index] = character;
  }
  return shown.map((line) => line.join(''));
}

function withoutBlanks(text: string): string {
  return text.replaceAll(/\s/g, '');
}

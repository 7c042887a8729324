import type { ScreenCapture } from '../../../machines/process/terminal.ts';
import { readPrivateFile } from '../../store/private-files.ts';
import { findHighlights, readStyledLines } from './styled-lines.ts';

/**
 * Formats a screen for a file: a first line with its numbers and title, then its lines. A shell can write it, too; lines of tmux
 * have colours.
 *
 * `screen <columns> <rows> <cursor column> <cursor row> <cursor visible: 1 or 0> <alternate: 1 or 0> <title>`
 */
export function toScreenText(screen: ScreenCapture): string {
  const { columns, rows, cursor, isAlternate, title, lines } = screen;
  const flags = [cursor.isVisible, isAlternate].map(Number);
  const numbers = [columns, rows, cursor.column, cursor.row, ...flags].join(' ');
  return `screen ${numbers} ${(title ?? '').replaceAll(/[\r\n]/g, ' ')}\n${lines.join('\n')}\n`;
}

const firstLine = /^screen (\d+) (\d+) (\d+) (\d+) ([01]?) ([01]?)(?: (.*))?$/;

/** Reads the last screen from a file; `null` where none was written, or the file was removed. */
export function readScreenFile(path: string): ScreenCapture | null {
  try {
    return parseScreenText(readPrivateFile(path));
  } catch {
    return null;
  }
}

/** Parses a screen file; `null` where the text is none. The screen is marked as the last one. */
export function parseScreenText(text: string): ScreenCapture | null {
  const [head = '', ...rest] = text.split('\n');
  const found = firstLine.exec(head);
  if (found === null) return null;
  const [columns = 0, rows = 0, column = 0, row = 0] = found.slice(1, 5).map(Number);
  if (columns < 1 || rows < 1 || rows > 10_000) return null;
  const { texts, runs } = readStyledLines(Array.from({ length: rows }, (_, index) => rest[index] ?? ''));
  const highlights = findHighlights(runs);
  return {
    columns,
    rows,
    lines: texts.map((line) => line.trimEnd()),
    ...(highlights.length > 0 && { highlights }),
    scrollback: [],
    cursor: { column, row, isVisible: found[5] !== '0' },
    isAlternate: found[6] === '1',
    title: found[7] === undefined || found[7] === '' ? null : found[7],
    isLast: true,
  };
}

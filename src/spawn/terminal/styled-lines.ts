import type { Highlight } from '../../../machines/process/terminal.ts';

/** Part of a row with the same fill: `''` is the terminal's own, any other value only distinguishes fills. */
export interface StyledRun {
  readonly row: number;
  readonly text: string;
  readonly fill: string;
}

/** Maximum number of highlights; more are a picture. */
const maxHighlights = 20;

/**
 * Finds text that stands out by reverse video or another background than most of the text, such as a selected entry, a button or
 * a bar. A fill under half of the text or more is that of a window.
 */
export function findHighlights(runs: readonly StyledRun[]): readonly Highlight[] {
  const weights = new Map<string, number>();
  let total = 0;
  for (const { text, fill } of runs) {
    const weight = text.replaceAll(/\s/g, '').length;
    weights.set(fill, (weights.get(fill) ?? 0) + weight);
    total += weight;
  }
  return runs
    .filter(({ text, fill }) => fill !== '' && text.trim() !== '' && (weights.get(fill) ?? 0) * 2 < total)
    .slice(0, maxHighlights)
    .map(({ row, text }) => ({ row, text: text.trim() }));
}

interface Style {
  foreground: string;
  background: string;
  isReverse: boolean;
}

/** Returns a key of the fill; two that look the same have the same key. */
export function toFill({ foreground, background, isReverse }: Readonly<Style>): string {
  return isReverse ? `reverse ${foreground}` : background;
}

/** Appends to the last run where row and fill are the same, and otherwise adds a run. */
export function addRun(runs: StyledRun[], run: StyledRun): void {
  const last = runs.at(-1);
  if (last !== undefined && last.row === run.row && last.fill === run.fill)
    runs[runs.length - 1] = { ...last, text: last.text + run.text };
  else if (run.text !== '') runs.push(run);
}

/**
 * Parses lines as `capture-pane -e` of tmux prints them: SGR sequences whose state continues from line to line, links (OSC 8),
 * and line drawing as letters between SO and SI.
 */
export function readStyledLines(lines: readonly string[]): {
  readonly texts: string[];
  readonly runs: readonly StyledRun[];
} {
  const style: Style = { foreground: '', background: '', isReverse: false };
  const runs: StyledRun[] = [];
  const texts = toUnicodeLines(lines).map((line, row) => {
    let text = '';
    let from = 0;
    const add = (part: string) => {
      addRun(runs, { row, text: part, fill: toFill(style) });
      text += part;
    };
    for (const found of line.matchAll(sequence)) {
      add(line.slice(from, found.index));
      if (found[1] !== undefined) applySgr(style, found[1]);
      from = found.index + found[0].length;
    }
    add(line.slice(from));
    return text;
  });
  return { texts, runs };
}

const sequence = /\x1b\[([\d;:]*)m|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)/g;

function applySgr(style: Style, parameters: string): void {
  const codes = parameters.split(';');
  for (let at = 0; at < codes.length; at += 1) {
    const [code = '', ...parts] = (codes[at] ?? '').split(':');
    const number = Number(code);
    const isBackground = number === 48;
    if (number === 38 || isBackground) {
      const length = parts.length > 0 ? 0 : codes[at + 1] === '2' ? 4 : 2;
      const colour = [...parts, ...codes.slice(at + 1, at + 1 + length)].join(' ');
      at += length;
      if (isBackground) style.background = colour;
      else style.foreground = colour;
    } else applySimple(style, number);
  }
}

function applySimple(style: Style, number: number): void {
  if (number === 0) Object.assign(style, { foreground: '', background: '', isReverse: false });
  else if (number === 7 || number === 27) style.isReverse = number === 7;
  else if (number === 39) style.foreground = '';
  else if (number === 49) style.background = '';
  else if ((number >= 30 && number < 38) || (number >= 90 && number < 98)) style.foreground = `${number}`;
  else if ((number >= 40 && number < 48) || (number >= 100 && number < 108)) style.background = `${number}`;
}

/** DEC Special Graphics, from 0x60 on: https://vt100.net/docs/vt220-rm/table2-4.html */
const decGraphics = [...'◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·'];

/** Replaces the letters of line drawing by the characters they draw, and removes SO and SI. */
export function toUnicodeLines(lines: readonly string[]): readonly string[] {
  let isDrawing = false;
  return lines.map((line) =>
    line
      .split(/(\x0e|\x0f|\x1b\[[\d;:]*m)/)
      .map((part) => {
        if (part === '\x0e' || part === '\x0f') isDrawing = part === '\x0e';
        if (part === '\x0e' || part === '\x0f') return '';
        return isDrawing && !part.startsWith('\x1b') ? part.replaceAll(/[`-~]/g, toUnicode) : part;
      })
      .join(''),
  );
}

function toUnicode(letter: string): string {
  return decGraphics[letter.charCodeAt(0) - 0x60] ?? letter;
}

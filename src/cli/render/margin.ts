import type { Page, Style } from './page.ts';
import { clip, wrap } from './wrap.ts';

/** Who speaks. Each has a mark of its own, so that they can be told apart without colours, too. */
const voices = {
  you: { mark: '›', style: 'cyan' },
  agent: { mark: '●', style: 'green' },
  call: { mark: '→', style: 'yellow' },
  answer: { mark: '←', style: 'yellow' },
  process: { mark: '⇢', style: 'blue' },
  notice: { mark: '◆', style: 'magenta' },
  question: { mark: '?', style: ['bold', 'yellow'] },
  trouble: { mark: '!', style: 'red' },
  remark: { mark: '·', style: 'dim' },
} as const satisfies Record<string, { mark: string; style: Style }>;

export type Voice = keyof typeof voices;

/** The mark and the blank behind it. */
export const MARGIN_WIDTH = 2;

/** The mark in its colour, or as much blank. */
export function toMark(voice: Voice | null, { paint }: Page): string {
  if (voice === null) return ' '.repeat(MARGIN_WIDTH);
  const { mark, style } = voices[voice];
  return `${paint(style, mark)} `;
}

/** A text with its mark before the first row; wrapped, with its own line breaks kept. `style` colours the text. */
export function toMarked(
  { voice, text, style }: { readonly voice: Voice; readonly text: string; readonly style?: Style },
  page: Page,
): string[] {
  const rows = text.split('\n').flatMap((line) => wrap(line, page.width - MARGIN_WIDTH));
  return rows.map((row, index) => {
    const painted = style === undefined || row === '' ? row : page.paint(style, row);
    return `${toMark(index === 0 ? voice : null, page)}${painted}`.trimEnd();
  });
}

/** The bar and the blanks on both of its sides. */
export const QUOTE_WIDTH = MARGIN_WIDTH + 2;

/** What a process printed: behind a bar, so that nothing in it looks like somebody's words. Too long lines are cut. */
export function toQuoted(lines: readonly string[], page: Page): string[] {
  const bar = ' '.repeat(MARGIN_WIDTH) + page.paint('dim', '│');
  return lines.map((line) => {
    const shown = clip(line, page.width - QUOTE_WIDTH).trimEnd();
    return shown === '' ? bar : `${bar} ${page.paint('dim', shown)}`;
  });
}

/** The first and the last of many lines, with how many are left out between them. */
export function shortenLines(
  lines: readonly string[],
  { first, last }: { readonly first: number; readonly last: number },
): readonly string[] {
  const left = lines.length - first - last;
  // A line that says that one line is missing saves nothing.
  if (left <= 1) return lines;
  return [...lines.slice(0, first), `… ${left} lines more …`, ...lines.slice(lines.length - last)];
}

import type { Page, Style } from './page.ts';
import { clip, wrap } from './wrap.ts';

/** Speakers in a conversation. Each has its own mark, so that they differ without colours too. */
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

/** Width of a mark and the blank after it. */
export const MARGIN_WIDTH = 2;

/** Returns the coloured mark of a speaker, or blanks of the same width. */
export function toMark(voice: Voice | null, { paint }: Page): string {
  if (voice === null) return ' '.repeat(MARGIN_WIDTH);
  const { mark, style } = voices[voice];
  return `${paint(style, mark)} `;
}

/** Wraps a text, keeping its line breaks, and puts the speaker's mark before the first row. `style` colours the text. */
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

/** Width of the bar and the blanks on both sides. */
export const QUOTE_WIDTH = MARGIN_WIDTH + 2;

/** Puts the output of a process behind a bar, so that no line of it looks like a speaker's. Overlong lines are cut. */
export function toQuoted(lines: readonly string[], page: Page): string[] {
  const bar = ' '.repeat(MARGIN_WIDTH) + page.paint('dim', '│');
  return lines.map((line) => {
    const shown = clip(line, page.width - QUOTE_WIDTH).trimEnd();
    return shown === '' ? bar : `${bar} ${page.paint('dim', shown)}`;
  });
}

/** Returns the first and the last of many lines, with the number of lines omitted between them. */
export function shortenLines(
  lines: readonly string[],
  { first, last }: { readonly first: number; readonly last: number },
): readonly string[] {
  const left = lines.length - first - last;
  // Replacing a single line would save nothing.
  if (left <= 1) return lines;
  return [...lines.slice(0, first), `… ${left} more lines …`, ...lines.slice(lines.length - last)];
}

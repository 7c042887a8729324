import { MARGIN_WIDTH, toMark, type Voice } from './margin.ts';
import type { Page } from './page.ts';
import { toPrintable } from './printable.ts';
import { wrap } from './wrap.ts';

/** A text that comes piece by piece, as rows that stay and one that still grows. */
export interface TextFlow {
  /** The rows that are complete now. */
  push(piece: string): string[];
  /** The row that still grows, with its mark; empty when nothing is open. */
  readonly open: string;
  /** Completes what is open; the next piece begins a new text. */
  end(): string[];
}

/** Wraps as the text comes: a row is complete as soon as a word did not fit into it. */
export function createTextFlow(page: Page, voice: Voice = 'agent'): TextFlow {
  let isFirst = true;
  let rest = '';

  const complete = (rows: readonly string[]) =>
    rows.flatMap((row) => {
      // A text does not begin with empty rows.
      if (isFirst && row.trim() === '') return [];
      const marked = toMark(isFirst ? voice : null, page) + row;
      isFirst = false;
      return [marked.trimEnd()];
    });

  return {
    push: (piece) => {
      const lines = toPrintable(rest + piece).split('\n');
      const width = page.width - MARGIN_WIDTH;
      const done = lines.slice(0, -1).flatMap((line) => wrap(line, width));
      const growing = wrap(lines.at(-1) ?? '', width);
      rest = growing.at(-1) ?? '';
      return complete([...done, ...growing.slice(0, -1)]);
    },
    get open() {
      return rest.trim() === '' ? '' : toMark(isFirst ? voice : null, page) + rest;
    },
    end: () => {
      const rows = rest.trim() === '' ? [] : complete([rest]);
      isFirst = true;
      rest = '';
      return rows;
    },
  };
}

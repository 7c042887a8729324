import { MARGIN_WIDTH, toMark, type Voice } from './margin.ts';
import type { Page } from './page.ts';
import { toPrintable } from './printable.ts';
import { wrap } from './wrap.ts';

/** Streamed text, split into finished rows and one open row. */
export interface TextFlow {
  /** Adds a piece and returns the rows that it completed. */
  push(piece: string): string[];
  /** Open row with its mark; empty without one. */
  readonly open: string;
  /** Completes the open row; the next piece begins a new text. */
  end(): string[];
}

/** Wraps text as it arrives: a row is complete as soon as the next word does not fit. */
export function createTextFlow(page: Page, voice: Voice = 'agent'): TextFlow {
  let isFirst = true;
  let rest = '';

  const complete = (rows: readonly string[]) =>
    rows.flatMap((row) => {
      // Leading empty rows are dropped.
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

import { styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];

/** What is written on: how wide it is now, and how its colours are made. */
export interface Page {
  /** In columns of a terminal; infinite in a file or a pipe, where nothing is wrapped. */
  readonly width: number;
  paint(style: Style, text: string): string;
}

const MIN_WIDTH = 40;
const MAX_WIDTH = 120;

/**
 * A page for a stream: colours only on a terminal, and as NO_COLOR and FORCE_COLOR say. Prose is easier to read when its lines are not too
 * long; a table takes all there is.
 */
export function createPage(
  stream: NodeJS.WriteStream,
  { maxWidth = MAX_WIDTH }: { readonly maxWidth?: number } = {},
): Page {
  return {
    get width() {
      if (!stream.isTTY) return Number.POSITIVE_INFINITY;
      return Math.min(maxWidth, Math.max(MIN_WIDTH, stream.columns));
    },
    paint: (style, text) => styleText(style, text, { stream }),
  };
}

import { styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];

/** Width and colours of an output stream. */
export interface Page {
  /** Current width in columns; infinite for a file or a pipe, where nothing is wrapped. */
  readonly width: number;
  paint(style: Style, text: string): string;
}

const MIN_WIDTH = 40;
const MAX_WIDTH = 120;

/**
 * Creates the page of a stream. Colours appear only on a terminal, subject to NO_COLOR and FORCE_COLOR. `maxWidth` keeps lines of prose
 * readable; a table uses the whole width.
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

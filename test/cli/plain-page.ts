import type { Page } from '../../src/cli/render/page.ts';

/** A page without colours. */
export function plainPage(width: number): Page {
  return { width, paint: (_, text) => text };
}

/** A page on which a colour can be read: `{red|text}`. */
export function markedPage(width: number): Page {
  return { width, paint: (style, text) => `{${String(style)}|${text}}` };
}

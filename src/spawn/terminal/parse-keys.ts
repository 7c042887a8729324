import type { KeyStroke } from '../../../machines/process/terminal.ts';

/** Reads names of keys: `Enter`, `C-c`, `M-x`, `S-Up`, `F5`. */
export function parseKeys(
  _names: readonly string[],
):
  | { readonly ok: true; readonly strokes: readonly KeyStroke[] }
  | { readonly ok: false; readonly error: string } {
  return { ok: false, error: 'not built yet' };
}

import type { TerminalSize } from '../../machines/process/terminal.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';

/**
 * `120x40`: columns and rows.
 *
 * @throws TroupeError `invalid-option`, naming what it is of.
 */
export function parseSize(text: string, name: string): TerminalSize {
  const [, columns = 0, rows = 0] = (/^(\d{1,4})x(\d{1,4})$/i.exec(text.trim()) ?? []).map(Number);
  if (columns >= 2 && columns <= 1_000 && rows >= 1 && rows <= 1_000) return { columns, rows };
  throw new TroupeError({
    code: 'invalid-option',
    message: `${name} is ${quote(text)}; expected columns and rows such as 120x40, 2 to 1000 columns and 1 to 1000 rows.`,
  });
}

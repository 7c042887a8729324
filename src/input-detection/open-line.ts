import type { OutputRead, ReadOptions } from '../output/output-read.ts';
import { toPlainText } from '../output/plain-text.ts';

/** Maximum length of a prompt, escape sequences included. */
const tailBytes = 16 * 1024;
const longestPrompt = 300;

/** The other screen of a terminal, on which programs draw: entered and left, as xterm's ctlseqs have it. */
const otherScreen = /\x1b\[\?(?:47|1047|1049)([hl])/g;

/** The output of a process. */
export interface Printing {
  readonly log: { readonly bytes: number; redact(text: string): string };
  read(options: ReadOptions): OutputRead;
}

/**
 * What was printed last, on a line that is not ended, as a person sees it and without blanks around it; `null` where there is no such
 * line. On a screen that a program draws no line is the last one.
 */
export function readOpenLine({ log, read }: Printing): string | null {
  const since = Math.max(0, log.bytes - tailBytes);
  const { text } = read({ since, format: 'raw', maxBytes: 2 * tailBytes });
  const change = [...text.matchAll(otherScreen)].at(-1);
  if (change?.[1] === 'h') return null;
  const begin = Math.max(
    text.lastIndexOf('\n') + 1,
    change === undefined ? 0 : change.index + change[0].length,
  );
  const line = log.redact(toPlainText(text.slice(begin))).trim();
  return line === '' || line.length > longestPrompt ? null : line;
}

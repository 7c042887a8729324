import type { OutputRead, ReadOptions } from '../output/output-read.ts';
import { toPlainText } from '../output/plain-text.ts';

/** Maximum length of a prompt, escape sequences included. */
const tailBytes = 16 * 1024;
const longestPrompt = 300;

/** Sequences that enter and leave the alternate screen; see xterm's ctlseqs. */
const otherScreen = /\x1b\[\?(?:47|1047|1049)([hl])/g;

/** The output of a process. */
export interface Printing {
  readonly log: { readonly bytes: number; redact(text: string): string };
  read(options: ReadOptions): OutputRead;
}

/**
 * Returns the unfinished last line of the output as a person sees it, trimmed; `null` if there is none, or if the program draws on the
 * alternate screen.
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

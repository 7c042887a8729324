import { openSync, writeSync } from 'node:fs';
import { emitKeypressEvents } from 'node:readline';
import { ReadStream } from 'node:tty';
import { onEndSignal } from '../end-signals.ts';
import { toPrintable } from '../render/printable.ts';
import { readHidden } from './read-hidden.ts';

/** What was typed; `null` where the person did not want to, or there is nobody to ask. */
export type Asked =
  | { readonly type: 'typed'; readonly value: string }
  | { readonly type: 'left' }
  | { readonly type: 'nobody' };

/**
 * Asks the person at the terminal for a line without showing it. The terminal itself is asked, so that stdin may be anything. It is as
 * it was before when this resolves.
 */
export async function askSecret(question: string): Promise<Asked> {
  const file = openTerminal();
  if (file === null) return { type: 'nobody' };
  const terminal = new ReadStream(file);
  const gone = new AbortController();
  const leave = () => gone.abort();
  const removeSignals = onEndSignal(leave);
  try {
    terminal.setRawMode(true);
    writeSync(file, `${toPrintable(question)}: `);
    emitKeypressEvents(terminal);
    terminal.on('error', leave).on('end', leave);
    const value = await readHidden(terminal, gone.signal);
    return value === null ? { type: 'left' } : { type: 'typed', value };
  } finally {
    removeSignals();
    terminal.setRawMode(false);
    writeSync(file, '\n');
    terminal.destroy();
  }
}

function openTerminal(): number | null {
  try {
    return openSync('/dev/tty', 'r+');
  } catch {
    return null;
  }
}

import { openSync, writeSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import { onEndSignal } from '../end-signals.ts';
import { toPrintable } from '../render/printable.ts';

/** What was typed; `null` where the person did not want to, or there is nobody to ask. */
export type Asked =
  | { readonly type: 'typed'; readonly value: string }
  | { readonly type: 'left' }
  | { readonly type: 'nobody' };

const ENTER = /[\r\n]/;
const LEAVE = ['\x03', '\x04'];
const BACKSPACE = ['\x7f', '\b'];
const WIPE = '\x15';

/**
 * Asks the person at the terminal for a line without showing it. The terminal itself is asked, so that stdin may be anything. It is as
 * it was before when this resolves.
 */
export async function askSecret(question: string): Promise<Asked> {
  const file = openTerminal();
  if (file === null) return { type: 'nobody' };
  const terminal = new ReadStream(file);
  const { promise, resolve } = Promise.withResolvers<Asked>();
  const removeSignals = onEndSignal(() => resolve({ type: 'left' }));
  try {
    terminal.setRawMode(true);
    writeSync(file, `${toPrintable(question)}: `);
    let value = '';
    terminal.setEncoding('utf8').on('data', (typed: string) => {
      for (const character of typed) {
        if (LEAVE.includes(character)) return resolve({ type: 'left' });
        if (ENTER.test(character)) return resolve({ type: 'typed', value });
        if (BACKSPACE.includes(character)) value = [...value].slice(0, -1).join('');
        else value = character === WIPE ? '' : value + character;
      }
    });
    terminal.on('error', () => resolve({ type: 'left' })).on('end', () => resolve({ type: 'left' }));
    return await promise;
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

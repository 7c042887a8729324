import { openSync, writeSync } from 'node:fs';
import { emitKeypressEvents } from 'node:readline';
import { ReadStream } from 'node:tty';
import { onEndSignal } from '../end-signals.ts';
import { toPrintable } from '../render/printable.ts';

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

interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}

/**
 * A line that is typed and does not show: while it is read, nobody else hears a key, so that it is in no history either. `null` for
 * Ctrl-C, Ctrl-D, and when it is not wanted any more. Keys that are no text, such as arrows, are no part of it, and what is
 * pasted behind its end is dropped: it may be as secret. The input must tell of keys already, as `emitKeypressEvents` has it.
 */
export function readHidden(input: NodeJS.ReadableStream, signal: AbortSignal): Promise<string | null> {
  const others = input.listeners('keypress') as ((...args: unknown[]) => void)[];
  return new Promise((resolve) => {
    let typed: readonly string[] = [];
    let ending: NodeJS.Immediate | undefined;
    const done = (answer: string | null) => {
      clearImmediate(ending);
      input.off('keypress', onKey);
      for (const other of others) input.on('keypress', other);
      signal.removeEventListener('abort', giveUp);
      resolve(answer);
    };
    const giveUp = () => done(null);
    // What is pasted comes line after line, before anything else can happen: those behind the first are nobody's.
    const end = (answer: string | null) => {
      ending = setImmediate(done, answer);
    };
    const onKey = (text: string | undefined, key: Key) => {
      if (ending !== undefined) return;
      if (key.name === 'return' || key.name === 'enter') return end(typed.join(''));
      if (key.ctrl && (key.name === 'c' || key.name === 'd')) return end(null);
      if (key.ctrl && key.name === 'u') typed = [];
      else if (key.name === 'backspace') typed = typed.slice(0, -1);
      else if (text !== undefined && isText(text) && !key.ctrl && !key.meta) typed = [...typed, ...text];
    };
    for (const other of others) input.off('keypress', other);
    input.on('keypress', onKey);
    signal.addEventListener('abort', giveUp);
    if (signal.aborted) giveUp();
  });
}

function isText(text: string): boolean {
  return !/\p{Cc}/u.test(text);
}

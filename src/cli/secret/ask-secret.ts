import { openSync, writeSync } from 'node:fs';
import { emitKeypressEvents } from 'node:readline';
import { ReadStream } from 'node:tty';
import { onEndSignal } from '../end-signals.ts';
import { toPrintable } from '../render/printable.ts';

/** Result of a question: the typed text, or that the person cancelled, or that there is no terminal. */
export type Asked =
  | { readonly type: 'typed'; readonly value: string }
  | { readonly type: 'left' }
  | { readonly type: 'noTerminal' };

/**
 * Asks the person at the terminal for a line without showing it. Reads from the terminal itself, so that stdin may be anything, and
 * restores its mode before it resolves.
 */
export async function askSecret(question: string): Promise<Asked> {
  const file = openTerminal();
  if (file === null) return { type: 'noTerminal' };
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
 * Reads a typed line without showing it. Other listeners receive no key meanwhile, so that the line enters no history. Returns `null` for
 * Ctrl-C, Ctrl-D, or an aborted signal. Keys without text, such as arrows, are ignored. Text pasted after the end of the line is dropped,
 * because it may also be secret. Requires `emitKeypressEvents` on the input.
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
    // Pasted lines arrive together, before anything else can happen: all after the first are dropped.
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

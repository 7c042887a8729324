import { clearScreenDown, createInterface, cursorTo, moveCursor } from 'node:readline';
import stringWidth from 'string-width';
import type { CliIo } from '../../cli-io.ts';
import { readHidden } from '../../secret/ask-secret.ts';
import { createPlainScreen, type Screen } from './plain-screen.ts';

/** A screen on which a person types, all the time: what is printed goes above the line that is being typed. */
export interface Terminal extends Screen {
  /** Changes what stands before the line, and what stands in it. @returns what stood in it. */
  exchange(input: { readonly prompt: string; readonly typed: string }): string;
  /** Takes a line that does not show, in place of the one that is typed; see `readHidden`. `null` where nothing can be hidden. */
  readonly readHidden: ((signal: AbortSignal) => Promise<string | null>) | null;
  /** Gives the terminal back; what is shown afterwards is plain. */
  close(): void;
}

export interface TerminalOptions {
  readonly io: Pick<CliIo, 'stdin' | 'stdout'>;
  readonly prompt: string;
  /** A line, or several that were pasted at once. */
  readonly onText: (text: string) => void;
  /** Ctrl-C. `typed` stands in the line and is taken away. */
  readonly onInterrupt: (typed: string) => void;
  /** Ctrl-D. */
  readonly onEnd: () => void;
  readonly complete: (typed: string) => readonly string[];
}

const HISTORY_SIZE = 200;

/** What is pasted comes as lines one after another, and now and then in pieces: nobody enters two lines within so long. */
const PASTE_PAUSE_MS = 10;

/** Takes the terminal over until `close`. */
export function createTerminal(options: TerminalOptions): Terminal {
  const { onText, onInterrupt, onEnd } = options;
  const { stdin: input, stdout: output } = options.io;
  const reader = createInterface({
    input,
    output,
    terminal: true,
    historySize: HISTORY_SIZE,
    completer: (typed: string) => [[...options.complete(typed)], typed],
  });
  let prompt = options.prompt;
  let openRow = '';
  let entered: string[] = [];
  let flushing: NodeJS.Timeout | undefined;
  let isClosed = false;
  const closing = new AbortController();

  const prompted = () => {
    reader.setPrompt(openRow === '' ? prompt : `${openRow}\n${prompt}`);
    reader.prompt(true);
  };

  /** Takes the input away, lets `change` write and change what it likes, and shows the input under it. */
  const above = (change: () => void) => {
    const { rows } = reader.getCursorPos();
    moveCursor(output, 0, -rows);
    cursorTo(output, 0);
    clearScreenDown(output);
    change();
    // Readline goes up by as many rows as its cursor was down before.
    output.write('\n'.repeat(rows));
    prompted();
  };

  /** The line that was entered is taken away again: whoever gets it decides what is shown of it. */
  const erase = (line: string) => {
    const inputRows = Math.floor(stringWidth(prompt + line) / (output.columns || 80)) + 1;
    moveCursor(output, 0, -(inputRows + (openRow === '' ? 0 : 1)));
    cursorTo(output, 0);
    clearScreenDown(output);
  };

  /**
   * A terminal that was resized has wrapped the input anew, and the cursor stands where it is in the new rows. Readline hears of it
   * next, and goes up by as many rows as its cursor was down in the old ones.
   */
  const onResize = () => {
    if (isClosed) return;
    const { prevRows = 0 } = reader as { prevRows?: number };
    moveCursor(output, 0, -reader.getCursorPos().rows);
    cursorTo(output, 0);
    clearScreenDown(output);
    output.write('\n'.repeat(prevRows));
  };

  const leave = () => {
    isClosed = true;
    output.off('resize', onResize);
    moveCursor(output, 0, -reader.getCursorPos().rows);
    cursorTo(output, 0);
    clearScreenDown(output);
  };

  const flush = () => {
    const lines = entered;
    entered = [];
    if (!isClosed && lines.length > 0) onText(lines.join('\n'));
  };

  const flushSoon = () => {
    clearTimeout(flushing);
    // What has come by then is read before that.
    flushing = setTimeout(() => setImmediate(flush), PASTE_PAUSE_MS);
  };

  const type = (text: string) => {
    reader.write(null, { ctrl: true, name: 'e' });
    reader.write(null, { ctrl: true, name: 'u' });
    if (text !== '') reader.write(text);
  };

  output.prependListener('resize', onResize);
  reader.on('line', (line) => {
    erase(line);
    prompted();
    entered.push(line);
    flushSoon();
  });
  reader.on('SIGINT', () => {
    flush();
    const typed = reader.line;
    if (typed !== '') type('');
    onInterrupt(typed);
  });
  reader.on('close', () => {
    flush();
    closing.abort();
    leave();
    onEnd();
  });
  prompted();

  return {
    show: ({ rows = [], openRow: next = openRow }) => {
      const text = rows.map((row) => `${row}\n`).join('');
      if (isClosed) output.write(text);
      else if (text !== '' || next !== openRow) {
        above(() => {
          output.write(text);
          openRow = next;
        });
      }
    },
    exchange: (next) => {
      const before = reader.line;
      if (isClosed) return before;
      type('');
      above(() => {
        prompt = next.prompt;
      });
      type(next.typed);
      return before;
    },
    readHidden: async (signal) =>
      isClosed ? null : readHidden(input, AbortSignal.any([signal, closing.signal])),
    close: () => {
      closing.abort();
      if (isClosed) return;
      reader.removeAllListeners('close');
      leave();
      reader.close();
    },
  };
}

/**
 * Creates a terminal that only appends rows, for `TERM=dumb`: it edits and echoes the typed line by itself. The usual prompt is not
 * shown, because it would stand between the rows.
 */
export function createDumbTerminal(options: Omit<TerminalOptions, 'complete'>): Terminal {
  const { io, prompt, onText, onInterrupt, onEnd } = options;
  const reader = createInterface({ input: io.stdin, terminal: false });
  const screen = createPlainScreen(io.stdout);
  let isClosed = false;
  // The terminal has discarded the typed line.
  const interrupt = () => onInterrupt('');
  process.on('SIGINT', interrupt);
  reader.on('line', onText);
  reader.on('close', onEnd);

  return {
    ...screen,
    exchange: (next) => {
      if (!isClosed && next.prompt !== prompt) screen.show({ rows: [next.prompt.trimEnd()] });
      return '';
    },
    readHidden: null,
    close: () => {
      if (isClosed) return;
      isClosed = true;
      process.off('SIGINT', interrupt);
      reader.removeAllListeners();
      reader.close();
    },
  };
}

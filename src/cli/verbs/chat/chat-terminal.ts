import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';
import stringWidth from 'string-width';
import type { CliIo } from '../../cli-io.ts';
import { readHidden } from '../../secret/ask-secret.ts';
import { createPlainScreen, type Screen } from './plain-screen.ts';

/** A screen on which a person can type at any time: output appears above the line being typed. */
export interface Terminal extends Screen {
  /** Replaces the prompt and the typed text. @returns the text that was typed before. */
  exchange(input: { readonly prompt: string; readonly typed: string }): string;
  /** Reads a hidden line in place of the one being typed; see `readHidden`. `null` if the terminal cannot hide input. */
  readonly readHidden: ((signal: AbortSignal) => Promise<string | null>) | null;
  /** Restores the terminal; later output is plain. */
  close(): void;
}

export interface TerminalOptions {
  readonly io: Pick<CliIo, 'stdin' | 'stdout'>;
  readonly prompt: string;
  /** Receives a line, or several that were pasted at once. */
  readonly onText: (text: string) => void;
  /** Called for Ctrl-C, which clears the line. `typed` is the cleared text. */
  readonly onInterrupt: (typed: string) => void;
  /** Called for Ctrl-D. */
  readonly onEnd: () => void;
  readonly complete: (typed: string) => readonly string[];
}

const HISTORY_SIZE = 200;

/** Longest pause within pasted text, which arrives line by line and sometimes in pieces. No person types two lines that fast. */
const PASTE_PAUSE_MS = 10;

/** Creates a terminal, which owns stdin and stdout until `close`. */
export function createTerminal(options: TerminalOptions): Terminal {
  const { onText, onInterrupt, onEnd, prompt } = options;
  const { stdin: input, stdout: output } = options.io;
  const reader = createInterface({
    input,
    output,
    terminal: true,
    historySize: HISTORY_SIZE,
    completer: (typed: string) => [[...options.complete(typed)], typed],
  });
  const rows = new InputRows(reader, { output, prompt });
  const closing = new AbortController();
  let isClosed = false;
  const entered = new EnteredLines((text) => {
    if (!isClosed) onText(text);
  });

  const onResize = () => {
    if (!isClosed) rows.prepareResize();
  };

  const leave = () => {
    isClosed = true;
    output.off('resize', onResize);
    rows.clear();
  };

  output.prependListener('resize', onResize);
  reader.on('line', (line) => {
    rows.eraseEntered(line);
    rows.draw();
    entered.add(line);
  });
  reader.on('SIGINT', () => {
    entered.flush();
    const typed = reader.line;
    if (typed !== '') rows.type('');
    onInterrupt(typed);
  });
  reader.on('close', () => {
    entered.flush();
    closing.abort();
    leave();
    onEnd();
  });
  rows.draw();

  return {
    show: ({ rows: added = [], openRow }) => {
      const text = added.map((row) => `${row}\n`).join('');
      if (isClosed) output.write(text);
      else rows.add(text, openRow);
    },
    exchange: (next) => {
      const before = reader.line;
      if (isClosed) return before;
      rows.type('');
      rows.changePrompt(next.prompt);
      rows.type(next.typed);
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

/** The last rows of the terminal: a row that still changes, the prompt, and the line that is being typed. */
class InputRows {
  readonly #reader: Interface;
  readonly #output: CliIo['stdout'];
  #prompt: string;
  #openRow = '';

  constructor(reader: Interface, { output, prompt }: { output: CliIo['stdout']; prompt: string }) {
    this.#reader = reader;
    this.#output = output;
    this.#prompt = prompt;
  }

  draw(): void {
    this.#reader.setPrompt(this.#openRow === '' ? this.#prompt : `${this.#openRow}\n${this.#prompt}`);
    this.#reader.prompt(true);
  }

  /** Writes permanent rows above the input. `openRow` replaces the row that still changes, unless it is missing. */
  add(text: string, openRow = this.#openRow): void {
    if (text === '' && openRow === this.#openRow) return;
    this.#redraw(() => {
      this.#output.write(text);
      this.#openRow = openRow;
    });
  }

  changePrompt(prompt: string): void {
    this.#redraw(() => {
      this.#prompt = prompt;
    });
  }

  /** Replaces the line that is being typed. */
  type(text: string): void {
    this.#reader.write(null, { ctrl: true, name: 'e' });
    this.#reader.write(null, { ctrl: true, name: 'u' });
    if (text !== '') this.#reader.write(text);
  }

  /** Erases an entered line: its receiver decides how to show it. */
  eraseEntered(line: string): void {
    const inputRows = Math.floor(stringWidth(this.#prompt + line) / (this.#output.columns || 80)) + 1;
    this.#clearFrom(inputRows + (this.#openRow === '' ? 0 : 1));
  }

  /**
   * Clears the input before readline draws it for a new size. The terminal has wrapped it anew, and the cursor stands where it is in the
   * new rows; readline goes up by as many rows as its cursor was down in the old ones.
   */
  prepareResize(): void {
    const { prevRows = 0 } = this.#reader as { prevRows?: number };
    this.clear();
    this.#output.write('\n'.repeat(prevRows));
  }

  clear(): void {
    this.#clearFrom(this.#reader.getCursorPos().rows);
  }

  /** Clears the input, calls `change`, which may write, and draws the input below. */
  #redraw(change: () => void): void {
    const { rows } = this.#reader.getCursorPos();
    this.#clearFrom(rows);
    change();
    // Readline moves up by as many rows as its cursor was below the first one.
    this.#output.write('\n'.repeat(rows));
    this.draw();
  }

  /** Clears the screen from that many rows above the cursor. */
  #clearFrom(rows: number): void {
    moveCursor(this.#output, 0, -rows);
    cursorTo(this.#output, 0);
    clearScreenDown(this.#output);
  }
}

/** Joins lines that were pasted at once into one text. */
class EnteredLines {
  readonly #onText: (text: string) => void;
  #lines: string[] = [];
  #flushing: NodeJS.Timeout | undefined;

  constructor(onText: (text: string) => void) {
    this.#onText = onText;
  }

  add(line: string): void {
    this.#lines.push(line);
    clearTimeout(this.#flushing);
    // Input that has arrived by then is read first.
    this.#flushing = setTimeout(() => setImmediate(() => this.flush()), PASTE_PAUSE_MS);
  }

  flush(): void {
    const lines = this.#lines;
    this.#lines = [];
    if (lines.length > 0) this.#onText(lines.join('\n'));
  }
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
  // The terminal has discarded the typed line already.
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

/** Press on the keyboard. Text is typed literally, even if it reads like the name of a key. */
export type KeyStroke =
  | { readonly type: 'text'; readonly text: string }
  | ({ readonly type: 'key'; readonly key: NamedKey } & Modifiers)
  /** Single character with Ctrl or Alt: `C-c`, `M-x`. */
  | ({ readonly type: 'character'; readonly character: string } & Modifiers);

/** Text in one piece, marked as a paste where the program supports that (bracketed paste), so that it is not run line by line. */
export interface Paste {
  readonly type: 'paste';
  readonly text: string;
}

export interface Modifiers {
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

export type NamedKey =
  | 'Enter'
  | 'Tab'
  | 'Escape'
  | 'Space'
  | 'Backspace'
  | 'Delete'
  | 'Insert'
  | 'Up'
  | 'Down'
  | 'Left'
  | 'Right'
  | 'Home'
  | 'End'
  | 'PageUp'
  | 'PageDown'
  | `F${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12}`;

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Screen of a terminal as displayed. Plain JSON. */
export interface ScreenCapture extends TerminalSize {
  /** Visible lines from the top, `rows` of them, without trailing blanks. */
  readonly lines: readonly string[];
  /** Lines that have scrolled out at the top, oldest first, as many as were asked for and are kept. */
  readonly scrollback: readonly string[];
  /** Position of the next character, counted from 0. */
  readonly cursor: { readonly column: number; readonly row: number; readonly isVisible: boolean };
  /** True while a full-screen program uses the alternate screen; the earlier screen returns at its end. */
  readonly isAlternate: boolean;
  /** Title that the program set for its window; `null` without one. */
  readonly title: string | null;
  /** Text that stands out by its background, from the top, at most 20; absent without any. */
  readonly highlights?: readonly Highlight[];
  /** True if the process has ended or is ending, so that the screen is final. */
  readonly isLast: boolean;
}

/** Text in reverse video or on another background than most of the screen: a selected entry, a button, a bar. */
export interface Highlight {
  /** Row counted from 0, as in `lines`. */
  readonly row: number;
  readonly text: string;
}

export type CaptureAnswer =
  | {
      readonly ok: true;
      readonly screen: ScreenCapture;
      /** Control sequences that draw the whole screen with its colours on an empty terminal, if asked for. */
      readonly drawing: string | null;
      /**
       * Position in the whole output, over all attempts and as it is shown: later output changes the screen. Bytes held back as
       * the possible beginning of a secret are on the screen and come again.
       */
      readonly offset: number;
    }
  | { readonly ok: false; readonly code: 'noTerminal' | 'notRunning' | 'broken'; readonly error: string };

/** Commands to a backend whose processes have a terminal, in the imperative. */
export type TerminalCommand<Result> =
  | {
      type: 'process.resize';
      columns: number;
      rows: number;
      reply: (result: Result) => void;
    }
  | {
      type: 'terminal.sendKeys';
      /** Strokes typed one after another, as fast as a full-screen program can follow, without other input in between. */
      strokes: readonly (KeyStroke | Paste)[];
      reply: (result: Result) => void;
    }
  | {
      type: 'terminal.capture';
      scrollbackLines: number;
      /** True if `drawing` is wanted. */
      withDrawing: boolean;
      reply: (answer: CaptureAnswer) => void;
    };

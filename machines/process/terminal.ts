/** One press on the keyboard. Text is typed as it stands, also where it reads like the name of a key. */
export type KeyStroke =
  | { readonly type: 'text'; readonly text: string }
  | ({ readonly type: 'key'; readonly key: NamedKey } & Modifiers)
  /** One character with Ctrl or Alt: `C-c`, `M-x`. */
  | ({ readonly type: 'character'; readonly character: string } & Modifiers);

/** A text in one piece, and where the program knows of pastes (bracketed paste), marked as one: it is not run line by line. */
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

/** What a terminal shows, as a person would see it. Plain data: it can be kept, sent and written down. */
export interface ScreenCapture extends TerminalSize {
  /** The visible lines from the top, `rows` of them, without blanks at their ends. */
  readonly lines: readonly string[];
  /** Lines that have scrolled out at the top, oldest first; as many as were asked for and are kept. */
  readonly scrollback: readonly string[];
  /** Where the next character would go; both count from 0. */
  readonly cursor: { readonly column: number; readonly row: number; readonly isVisible: boolean };
  /** A full-screen program has taken the screen over; what was there before comes back at its end. */
  readonly isAlternate: boolean;
  /** What the program calls its window; `null` where it said nothing. */
  readonly title: string | null;
  /** What stands out from the rest by its ground, from the top, at most 20; left out where nothing does. */
  readonly highlights?: readonly Highlight[];
  /** The process has ended, or is ending: nothing will change any more. */
  readonly isLast: boolean;
}

/** Text in reverse video or on another colour than most of the screen: a chosen entry, a button, a bar. */
export interface Highlight {
  /** From 0, as in `lines`. */
  readonly row: number;
  readonly text: string;
}

export type CaptureAnswer =
  | {
      readonly ok: true;
      readonly screen: ScreenCapture;
      /** Control sequences that draw the whole screen, colours too, on an empty terminal; where that was asked for. */
      readonly drawing: string | null;
      /**
       * Of the whole output, over all attempts and as it is shown: what comes after it changes the screen. Where an end is held that could be the
       * beginning of a secret, it stands on the screen and comes again.
       */
      readonly offset: number;
    }
  | { readonly ok: false; readonly code: 'noTerminal' | 'notRunning' | 'broken'; readonly error: string };

/** What a process asks of a backend whose processes have a terminal. Orders, imperative. */
export type TerminalCommand<Result> =
  | {
      type: 'process.resize';
      columns: number;
      rows: number;
      reply: (result: Result) => void;
    }
  | {
      type: 'terminal.sendKeys';
      /** One after another, as fast as a full-screen program can follow, and nobody else in between. */
      strokes: readonly (KeyStroke | Paste)[];
      reply: (result: Result) => void;
    }
  | {
      type: 'terminal.capture';
      scrollbackLines: number;
      /** Whether `drawing` is wanted. */
      withDrawing: boolean;
      reply: (answer: CaptureAnswer) => void;
    };

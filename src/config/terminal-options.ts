import { z } from 'zod';

/** The size of a terminal. */
export const terminalSize = z.strictObject({
  columns: z.int().min(2).max(1_000),
  rows: z.int().min(1).max(1_000),
});

/** Schema of `CaptureOptions`. */
export const captureOptions = z.strictObject({
  scrollbackLines: z.int().min(0).max(100_000).default(0),
  withDrawing: z.boolean().default(false),
});

export const pasteOptions = z.strictObject({ text: z.string() });

/** Input for a terminal: the text, then the keys, then Enter. */
export interface KeyOrder {
  /** Typed unchanged; text with more than one line is pasted. Default: none. */
  readonly text?: string | undefined;
  /** Pastes the text even if it has one line. Default `false`. */
  readonly paste?: boolean | undefined;
  /** Names of keys: `Enter`, `Escape`, `Up`, `F5`, `C-c`, `M-x`, `S-Tab`. Default: none. */
  readonly keys?: readonly string[] | undefined;
  /** Presses Enter at the end. Default `false`. */
  readonly pressEnter?: boolean | undefined;
}

/** Extent of a capture of a terminal. */
export interface CaptureOptions {
  /** Number of lines that have scrolled out at the top, 100000 at most. Default 0. */
  readonly scrollbackLines?: number | undefined;
  /** Includes the control sequences that draw the screen. Default `false`. */
  readonly withDrawing?: boolean | undefined;
}

/** Schema of `KeyOrder`. */
export const keyInput = z.strictObject({
  text: z.string().default(''),
  paste: z.boolean().default(false),
  keys: z.array(z.string()).readonly().default([]),
  pressEnter: z.boolean().default(false),
});

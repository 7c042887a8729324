import { z } from 'zod';

/** The size of a terminal. */
export const terminalSize = z.strictObject({
  columns: z.int().min(2).max(1_000),
  rows: z.int().min(1).max(1_000),
});

export const captureOptions = z.strictObject({
  scrollbackLines: z.int().min(0).max(100_000).default(0),
  withDrawing: z.boolean().default(false),
});

export const pasteOptions = z.strictObject({ text: z.string() });

/** Input for a terminal: the text, then the keys, then Enter. */
export const keyInput = z.strictObject({
  /** Typed unchanged; text with more than one line is pasted. */
  text: z.string().default(''),
  /** Pastes the text even if it has one line. */
  paste: z.boolean().default(false),
  /** Names of keys: `Enter`, `Escape`, `Up`, `F5`, `C-c`, `M-x`, `S-Tab`. */
  keys: z.array(z.string()).default([]),
  pressEnter: z.boolean().default(false),
});

export type KeyOrder = z.input<typeof keyInput>;

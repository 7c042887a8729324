import type { TerminalSize } from '../../../machines/process/terminal.ts';

/** Of a terminal for which nobody has a wish. */
export const usualSize: TerminalSize = { columns: 80, rows: 24 };

import { createInterface } from 'node:readline';
import { createPlainScreen } from './screen.ts';
import type { Terminal, TerminalOptions } from './terminal.ts';

/**
 * A terminal that only prints one row after another, as `TERM=dumb` says: it edits and echoes the line by itself, and nothing is
 * ever taken back. The usual prompt is not shown, because it would stand between the rows.
 */
export function createDumbTerminal(options: Omit<TerminalOptions, 'complete'>): Terminal {
  const { io, prompt, onText, onInterrupt, onEnd } = options;
  const reader = createInterface({ input: io.stdin, terminal: false });
  const screen = createPlainScreen(io.stdout);
  let isClosed = false;
  // The terminal has thrown away what was typed.
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

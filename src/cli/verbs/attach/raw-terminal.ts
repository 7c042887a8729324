import type { TerminalSize } from '../../../../machines/process/terminal.ts';
import type { CliIo } from '../../cli-io.ts';
import { createTerminalModes } from './terminal-modes.ts';

/** A person's terminal in raw mode, which shows the terminal of a process. */
export interface RawTerminal {
  readonly size: TerminalSize;
  /** Writes bytes. Resolves when more may be written. */
  write(bytes: Uint8Array): Promise<void>;
  /** Draws on an empty screen; the previous content moves into the scrollback. */
  draw(drawing: string): Promise<void>;
  /** Sets the last used row, counted from 0, below which the shell continues. Default: the last row. */
  endsAt(row: number): void;
  /** Leaves raw mode and restores the terminal; further calls do nothing. */
  giveBack(): void;
}

const RESET = '\x1b[!p\x1b[0m\x1b[H\x1b[2J';

/** Puts a terminal into raw mode. It is restored however the program ends, except by SIGKILL. */
export function enterRawMode(
  { stdin, stdout }: Pick<CliIo, 'stdin' | 'stdout'>,
  { title }: { readonly title: string },
): RawTerminal {
  const modes = createTerminalModes();
  let isOurs = true;
  let isDrawn = false;
  let lastRow: number | null = null;
  const readSize = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });

  const write = async (bytes: Uint8Array): Promise<void> => {
    if (!isOurs) return;
    modes.see(bytes);
    if (stdout.write(bytes) || stdout.destroyed) return;
    await new Promise<void>((resolve) => {
      const next = () => {
        stdout.off('drain', next).off('close', next).off('error', next);
        resolve();
      };
      stdout.on('drain', next).on('close', next).on('error', next);
    });
  };
  const giveBack = () => {
    if (!isOurs) return;
    isOurs = false;
    process.off('exit', giveBack);
    process.off('SIGCONT', enter);
    const { rows } = readSize();
    const under = isDrawn ? `\x1b[${Math.min(rows, (lastRow ?? rows) + 1)};1H\r\n` : '';
    // Restores the saved title.
    stdout.write(`${modes.restoring()}${under}\x1b[23;0t`);
    stdin.setRawMode(false);
  };
  const enter = () => void stdin.setRawMode(true);

  enter();
  // Node emits this before it prints an uncaught error.
  process.on('exit', giveBack);
  // While this program was stopped, the shell owned the terminal.
  process.on('SIGCONT', enter);
  stdout.write(`\x1b[22;0t\x1b]2;${title}\x1b\\`);
  return {
    get size() {
      return readSize();
    },
    write,
    draw: async (drawing) => {
      if (!isOurs) return;
      const up = isDrawn ? '' : `\x1b[${readSize().rows};1H${'\r\n'.repeat(readSize().rows)}`;
      isDrawn = true;
      await write(Buffer.from(`${modes.restoring()}${up}${RESET}${drawing}`));
    },
    endsAt: (row) => {
      lastRow = row;
    },
    giveBack,
  };
}

import type { TerminalSize } from '../../../../machines/process/terminal.ts';
import type { CliIo } from '../../cli-io.ts';
import { createTerminalModes } from './terminal-modes.ts';

/** A person's terminal, for as long as a process has it. */
export interface RawTerminal {
  readonly size: TerminalSize;
  /** Resolves when more may be written. */
  write(bytes: Uint8Array): Promise<void>;
  /** Draws on an empty screen; what stood there can be scrolled back to. */
  draw(drawing: string): Promise<void>;
  /** From where one goes on when it is given back: under this row, counted from 0. Default: under the last one. */
  endsAt(row: number): void;
  /** Gives it back as it was; calling it again does nothing. */
  giveBack(): void;
}

const RESET = '\x1b[!p\x1b[0m\x1b[H\x1b[2J';

/** Takes a terminal; it is given back also when the program ends in any way but SIGKILL. */
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
    // The title is put back from where it was put aside.
    stdout.write(`${modes.restoring()}${under}\x1b[23;0t`);
    stdin.setRawMode(false);
  };
  const enter = () => void stdin.setRawMode(true);

  enter();
  // Node calls this before it prints what nobody caught.
  process.on('exit', giveBack);
  // The shell has taken the terminal while we were stopped.
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

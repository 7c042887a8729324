import type { CliIo } from '../cli-io.ts';

/** The whole terminal, until it is given back. */
export interface TopScreen {
  readonly rows: number;
  /** Replaces what is shown. */
  draw(lines: readonly string[]): void;
  /** Gives the terminal back as it was; calling it again does nothing. */
  close(): void;
}

/** Alternate screen, no cursor, and no wrapping: a line that is too long must not push the others down. */
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l';
const LEAVE = '\x1b[?7h\x1b[?25h\x1b[?1049l';

/** Takes the terminal over. It is given back also when the program ends in any way but SIGKILL. */
export function openScreen({ stdin, stdout }: Pick<CliIo, 'stdin' | 'stdout'>): TopScreen {
  let isOpen = true;
  const enter = () => {
    stdin.setRawMode(true);
    stdout.write(ENTER);
  };
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    process.off('exit', close);
    process.off('SIGCONT', enter);
    stdout.write(LEAVE);
    stdin.setRawMode(false);
  };
  enter();
  // Node calls this before it prints what nobody caught.
  process.on('exit', close);
  // The shell has taken the terminal while we were stopped.
  process.on('SIGCONT', enter);
  return {
    get rows() {
      return stdout.rows || 24;
    },
    draw: (lines) => {
      // Erased before it is written: behind a line as wide as the screen the cursor stands on its last character.
      if (isOpen) stdout.write(`\x1b[H${lines.map((line) => `\x1b[K${line}`).join('\r\n')}`);
    },
    close,
  };
}

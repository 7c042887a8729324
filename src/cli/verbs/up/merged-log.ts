import { once } from 'node:events';
import { createRealClock } from '../../../clock/real-clock.ts';
import { createLineSplitter } from '../../../output/lines.ts';
import type { OutputPiece } from '../../../output/output-chunk.ts';
import type { ProcessHandle } from '../../../process/process-handle.ts';
import type { CliIo } from '../../cli-io.ts';
import { createPage, type Style } from '../../render/page.ts';
import { toColoured, toPrintable } from '../../render/printable.ts';
import { pad } from '../../render/wrap.ts';

const styles: readonly Style[] = ['cyan', 'yellow', 'green', 'magenta', 'blue', 'cyanBright', 'yellowBright'];

/** Output of several processes, line by line, each line prefixed with the name of its process. */
export interface MergedLog {
  /** Prints the output of a process; resolves at its end. */
  follow(name: string, process: ProcessHandle): Promise<void>;
  /** Prints a remark about a process. */
  annotate(name: string, words: string): void;
}

export function createMergedLog(
  names: readonly string[],
  {
    io,
    above,
  }: {
    readonly io: Pick<CliIo, 'stdout'>;
    /** Prints above the progress line. */
    readonly above: (print: () => void) => void;
  },
): MergedLog {
  const page = createPage(io.stdout);
  const width = Math.max(...names.map((name) => toPrintable(name).length));
  const isTerminal = io.stdout.isTTY === true;

  const toMargin = (name: string) => {
    const style = styles[names.indexOf(name) % styles.length] ?? 'cyan';
    return page.paint(style, `${pad(toPrintable(name), width)} │`);
  };
  const print = async (rows: readonly string[]) => {
    if (rows.length === 0) return;
    let isTaken = true;
    above(() => {
      isTaken = io.stdout.write(rows.map((row) => `${row}\n`).join(''));
    });
    if (!isTaken && !io.stdout.destroyed)
      await Promise.race([once(io.stdout, 'drain'), once(io.stdout, 'close')]);
  };
  return {
    follow: async (name, process) => {
      const splitter = createLineSplitter(createRealClock());
      const toRows = (piece: OutputPiece) => {
        if (piece.type === 'chunk') return splitter.push(piece).map(({ text }) => text);
        const torn = splitter.breakAt(piece).map(({ text }) => text);
        return [
          ...torn,
          page.paint('dim', `… ${piece.droppedBytes} bytes are missing here; the log file contains them`),
        ];
      };
      const show = (lines: readonly string[]) =>
        print(lines.map((line) => `${toMargin(name)} ${isTerminal ? toTerminalLine(line) : line}`.trimEnd()));
      for await (const piece of process.output()) await show(toRows(piece));
      await show(splitter.flush().map(({ text }) => text));
    },
    annotate: (name, words) => {
      void print([`${toMargin(name)} ${page.paint('dim', toPrintable(words))}`]);
    },
  };
}

/** Keeps what was drawn last over a line, with its colours reset at the end, and without cursor moves. */
function toTerminalLine(line: string): string {
  const text = toColoured(line.split('\r').findLast((part) => part !== '') ?? '');
  return text.includes('\x1b') ? `${text}\x1b[0m` : text;
}

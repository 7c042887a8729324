import type { IBuffer, IBufferCell, Terminal } from '@xterm/headless';
import type { ScreenCapture, TerminalSize } from '../../../machines/process/terminal.ts';
import { shorten } from '../../config/quote.ts';
import type { Emulator } from './emulator.ts';
import { createStringLimit, cutWork, limitRepeats } from './emulator-limits.ts';
import type { KeyboardModes } from './encode-keys.ts';
import { addRun, findHighlights, type StyledRun, toFill } from './styled-lines.ts';

/** Screen of a terminal. Drawn in small pieces after it was fed; queries see everything fed before them. */
export interface Screen {
  /**
   * Queues bytes for drawing. `false` asks the caller to pause the source until `whenCaughtUp` calls back, because undrawn bytes
   * take memory.
   */
  feed(bytes: Uint8Array): boolean;
  /** Calls back once, when little is left to draw. */
  whenCaughtUp(callback: () => void): void;
  /** Changes the size after everything fed before was drawn. */
  resize(size: TerminalSize): void;
  capture(options: { scrollbackLines: number; withDrawing: boolean }): Promise<ScreenImage>;
  modes(): Promise<KeyboardModes>;
  /** Frees the memory once earlier queries are answered; nothing may be queried afterwards. */
  close(): void;
}

export interface ScreenImage {
  readonly screen: Omit<ScreenCapture, 'isLast'>;
  readonly drawing: string | null;
}

const scrollbackLines = 1_000;
/** Limits in bytes of plain text. */
const maxUndrawn = 1024 * 1024;
const resumeUndrawn = 128 * 1024;
/** Size of a piece, after which the emulator checks the clock and yields. */
const pieceBytes = 4 * 1024;
const maxTitleLength = 1_000;
/** OSC 8. */
const links = 8;

export function createScreen(
  size: TerminalSize,
  {
    emulator,
    onAnswer,
  }: {
    emulator: Emulator;
    /** Called with answers of the terminal itself, as programs ask for the cursor's position and its abilities. */
    onAnswer: (answer: string) => void;
  },
): Screen {
  const terminal = new emulator.Terminal({
    cols: size.columns,
    rows: size.rows,
    scrollback: scrollbackLines,
    allowProposedApi: true,
    logLevel: 'off',
  });
  const serializer = new emulator.SerializeAddon();
  terminal.loadAddon(serializer as never);
  terminal.unicode.register(emulator.widths);
  terminal.unicode.activeVersion = emulator.widths.version;
  limitRepeats(terminal);
  // Links are never shown, and the emulator keeps some KB for each until its row scrolls out.
  terminal.parser.registerOscHandler(links, () => true);
  const cursor = watchCursor(terminal);
  let title: string | null = null;
  terminal.onTitleChange((text) => {
    title = text === '' ? null : shorten(text, maxTitleLength);
  });
  terminal.onData(onAnswer);
  // The emulator's own decoder loses characters that are split before a byte 0x80, such as quotes and lines.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const limitStrings = createStringLimit();
  let undrawn = 0;
  let waiting: (() => void)[] = [];

  /** Calls `look` after everything before was drawn: writes are drawn in order, and an empty one marks their end. */
  const whenDrawn = <T>(look: () => T) =>
    new Promise<T>((resolve) => {
      terminal.write('', () => resolve(new Promise((found) => found(look()))));
    });

  function countDrawn(weight: number): void {
    undrawn -= weight;
    if (undrawn > resumeUndrawn) return;
    const callbacks = waiting;
    waiting = [];
    for (const callback of callbacks) callback();
  }

  function draw(lines: number): string {
    return `${serializer.serialize({ scrollback: lines })}${cursor.isVisible ? '' : '\x1b[?25l'}`;
  }

  return {
    feed: (bytes) => {
      const places = terminal.cols * terminal.rows;
      for (let from = 0; from < bytes.byteLength; from += pieceBytes) {
        const piece = bytes.subarray(from, from + pieceBytes);
        const text = limitStrings(decoder.decode(piece, { stream: true }));
        for (const { text: part, weight } of cutWork(text, { places, bytes: piece.byteLength })) {
          undrawn += weight;
          terminal.write(part, () => countDrawn(weight));
        }
      }
      return undrawn <= maxUndrawn;
    },
    whenCaughtUp: (callback) => {
      waiting.push(callback);
    },
    resize: ({ columns, rows }) => void whenDrawn(() => terminal.resize(columns, rows)),
    capture: ({ scrollbackLines: lines, withDrawing }) =>
      whenDrawn(() => ({
        screen: { ...toScreen(terminal, { lines, isVisible: cursor.isVisible }), title },
        drawing: withDrawing ? draw(lines) : null,
      })),
    modes: () =>
      whenDrawn(() => {
        const { applicationCursorKeysMode, bracketedPasteMode } = terminal.modes;
        return { applicationCursor: applicationCursorKeysMode, bracketedPaste: bracketedPasteMode };
      }),
    // Deferred until nothing is being drawn.
    close: () => void whenDrawn(() => {}).then(() => terminal.dispose()),
  };
}

function toScreen(terminal: Terminal, { lines, isVisible }: { lines: number; isVisible: boolean }) {
  const { cols: columns, rows, buffer } = terminal;
  const { active } = buffer;
  const { baseY, cursorX, cursorY } = active;
  const highlights = findHighlights(readRuns(active, { from: baseY, rows, columns }));
  return {
    columns,
    rows,
    lines: readLines(active, { from: baseY, to: baseY + rows }),
    scrollback: readLines(active, { from: Math.max(0, baseY - lines), to: baseY }),
    // After the last column the cursor is beyond the edge until the next character.
    cursor: { column: Math.min(cursorX, columns - 1), row: cursorY, isVisible },
    isAlternate: active.type === 'alternate',
    ...(highlights.length > 0 && { highlights }),
  };
}

function readRuns(
  buffer: IBuffer,
  { from, rows, columns }: { from: number; rows: number; columns: number },
): readonly StyledRun[] {
  const runs: StyledRun[] = [];
  const cell = buffer.getNullCell();
  for (let row = 0; row < rows; row += 1) {
    const line = buffer.getLine(from + row);
    for (let column = 0; column < columns && line !== undefined; column += 1) {
      line.getCell(column, cell);
      // The cell behind a wide character has no width.
      if (cell.getWidth() === 0) continue;
      addRun(runs, { row, text: cell.getChars() || ' ', fill: toFill(toStyle(cell)) });
    }
  }
  return runs;
}

function toStyle(cell: IBufferCell) {
  return {
    foreground: cell.isFgDefault() ? '' : `${cell.getFgColorMode()} ${cell.getFgColor()}`,
    background: cell.isBgDefault() ? '' : `${cell.getBgColorMode()} ${cell.getBgColor()}`,
    isReverse: cell.isInverse() !== 0,
  };
}

function readLines(buffer: IBuffer, { from, to }: { from: number; to: number }): string[] {
  return Array.from({ length: to - from }, (_, index) =>
    (buffer.getLine(from + index)?.translateToString(true) ?? '').replace(/ +$/, ''),
  );
}

/** Tracks whether the cursor is shown (DECTCEM), which the emulator does not tell. A reset shows it again. */
function watchCursor({ parser }: Terminal): { readonly isVisible: boolean } {
  const cursor = { isVisible: true };
  const set = (isVisible: boolean) => (params: readonly (number | number[])[]) => {
    if (params.includes(25)) cursor.isVisible = isVisible;
    return false;
  };
  const reset = () => {
    cursor.isVisible = true;
    return false;
  };
  parser.registerCsiHandler({ prefix: '?', final: 'h' }, set(true));
  parser.registerCsiHandler({ prefix: '?', final: 'l' }, set(false));
  parser.registerCsiHandler({ intermediates: '!', final: 'p' }, reset);
  parser.registerEscHandler({ final: 'c' }, reset);
  return cursor;
}

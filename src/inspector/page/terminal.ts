import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { Terminal } from '@xterm/xterm';
import { toErrorText } from '../../config/error-text.ts';
import { formatBytes } from '../../output/cut-text.ts';
import type { LengthMark } from '../../output/output-times.ts';
import { followOutput } from './follow-output.ts';

/** Output that is shown at most from the beginning; of more, the newest part is shown. */
const MAX_SHOWN_BYTES = 4 * 1024 * 1024;
/** Lag behind the process at which the terminal jumps to the newest output. */
const MAX_LAG_BYTES = 8 * 1024 * 1024;
const AFTER_JUMP_BYTES = 256 * 1024;

/** Terminal in a page that shows the output of one process. */
export interface OutputTerminal {
  /** Finds the next or previous occurrence. Returns `false` where there is none. */
  find(text: string, direction: 1 | -1): boolean;
  focus(): void;
  /** Text that is selected. */
  readonly selected: string;
  dispose(): void;
}

/** Options of `openTerminal`. */
export interface OutputTerminalOptions {
  readonly id: string;
  /** Size of the terminal of the process; `null` where it has none and lines wrap at the width of the pane. */
  readonly size: { readonly columns: number; readonly rows: number } | null;
  /** Moment up to which output is shown, with the marks that locate it; `null` shows all output and follows it. */
  readonly until: { readonly time: number; readonly marks: readonly LengthMark[] } | null;
  /** Bytes of output so far. */
  totalBytes(): number;
  /** Called with the reason when reading the output stops early. */
  onRefused(why: string): void;
  /** Receives what is typed; `null` where the process takes no keys. */
  readonly onData: ((text: string) => void) | null;
}

/** Opens a terminal in an element and follows the output. Escape sequences reach neither the clipboard nor the title of the page. */
export function openTerminal(element: HTMLElement, options: OutputTerminalOptions): OutputTerminal {
  const { id, size, until, onData } = options;
  const terminal = new Terminal({
    ...(size !== null && { cols: size.columns, rows: size.rows }),
    convertEol: size === null,
    disableStdin: onData === null,
    fontFamily: 'ui-monospace, "SF Mono", "Liberation Mono", Menlo, monospace',
    fontSize: 12.5,
    scrollback: 50_000,
    allowProposedApi: true,
    screenReaderMode: true,
    theme: { background: '#0d1117', foreground: '#d5dae1', selectionBackground: '#2f4f83' },
    linkHandler: { activate: () => {} },
  });
  const search = new SearchAddon();
  const fit = new FitAddon();
  terminal.loadAddon(search);
  terminal.loadAddon(fit);
  // Output must not change the clipboard or the title, nor open links.
  for (const code of [0, 1, 2, 8, 52]) terminal.parser.registerOscHandler(code, () => true);
  terminal.open(element);
  if (size === null) fit.fit();
  const observer = new ResizeObserver(() => {
    if (size === null) fit.fit();
  });
  observer.observe(element);
  if (onData !== null) terminal.onData(onData);
  const leave = new AbortController();
  show(terminal, { ...options, until, id, signal: leave.signal }).catch((error: unknown) => {
    options.onRefused(toErrorText(error));
  });
  return {
    find: (text, direction) =>
      direction === 1
        ? search.findNext(text, { caseSensitive: false })
        : search.findPrevious(text, { caseSensitive: false }),
    focus: () => terminal.focus(),
    get selected() {
      return terminal.getSelection();
    },
    dispose: () => {
      leave.abort();
      observer.disconnect();
      terminal.dispose();
    },
  };
}

async function show(
  terminal: Terminal,
  { id, until, totalBytes, signal }: OutputTerminalOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const end = until === null ? Number.POSITIVE_INFINITY : toLength(until);
  const write = (data: string | Uint8Array) => new Promise<void>((resolve) => terminal.write(data, resolve));
  const skip = (bytes: number) =>
    write(`\r\n\x1b[7m ${formatBytes(bytes)} left out here; the log has them \x1b[0m\r\n`);
  let from = Math.max(0, Math.min(totalBytes(), end) - MAX_SHOWN_BYTES);
  if (from > 0) await skip(from);
  while (!signal.aborted) {
    const turn = new AbortController();
    let isBehind = false;
    let cursor = from;
    for await (const item of followOutput(id, { from, signal: AbortSignal.any([signal, turn.signal]) })) {
      if (item.droppedBytes > 0) await skip(item.droppedBytes);
      const bytes =
        item.offset + item.bytes.length > end
          ? item.bytes.subarray(0, Math.max(0, end - item.offset))
          : item.bytes;
      if (bytes.length > 0) await write(bytes);
      cursor = item.offset + item.bytes.length;
      if (cursor >= end) return turn.abort();
      isBehind = totalBytes() - cursor > MAX_LAG_BYTES;
      if (isBehind) break;
    }
    if (!isBehind) return;
    turn.abort();
    from = totalBytes() - AFTER_JUMP_BYTES;
    await skip(from - cursor);
  }
}

/** Returns how long the output was at that time: all that surely had arrived. */
function toLength({ time, marks }: { readonly time: number; readonly marks: readonly LengthMark[] }): number {
  return (
    marks.findLast(({ since }) => since <= time)?.offset ??
    (marks.length === 0 ? Number.POSITIVE_INFINITY : 0)
  );
}

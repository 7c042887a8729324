import { cutText } from '../output/cut-text.ts';
import type { ProcessView } from '../process/process-view.ts';
import type { ShownScreen } from './actions/look-at.ts';
import type { SentKeys } from './actions/send-keys.ts';
import { toSummary } from './process-summary.ts';

/** Of a screen, and as much again of what has scrolled out. A usual one has 2 KB; this is for 200 columns and more. */
const MAX_SCREEN_BYTES = 16 * 1024;

/** A screen as a model is shown it. Rows and columns count from 1, and blank lines at the bottom are left out. */
export function toScreenData({ view, screen }: ShownScreen) {
  const { cursor, scrollback, lines, highlights = [] } = screen;
  const { awaits_input } = toSummary(view);
  return {
    process_id: view.id,
    status: view.status,
    columns: screen.columns,
    rows: screen.rows,
    cursor: { row: cursor.row + 1, column: cursor.column + 1, ...(!cursor.isVisible && { hidden: true }) },
    ...(screen.isAlternate && { full_screen: true }),
    ...(screen.title !== null && { title: screen.title }),
    ...(screen.isLast && { last: true }),
    ...(awaits_input !== undefined && { awaits_input }),
    ...(scrollback.length > 0 && { scrolled_out: cut(scrollback.join('\n')) }),
    ...(highlights.length > 0 && {
      highlighted: highlights.map(({ row, text }) => ({ row: row + 1, text })),
    }),
    screen: cut(lines.join('\n').trimEnd()),
  };
}

/** What was typed, and what it shows now where that was wanted. */
export function toSentData(processId: string, { message, shown }: SentKeys) {
  if (shown === null) return { process_id: processId, message };
  return { ...toScreenData(shown), message };
}

function cut(text: string): string {
  return cutText([{ type: 'text', text }], { maxBytes: MAX_SCREEN_BYTES, where: '' }).text;
}

/** What became of the wish for a terminal; nothing where there was none. */
export function toTerminalData({ terminal }: ProcessView) {
  if (terminal === null) return {};
  if (terminal.type === 'none') return { terminal: 'none' };
  const { columns, rows, attach } = terminal;
  return { terminal: `${columns}x${rows}`, ...(attach !== null && { attach: attach.join(' ') }) };
}

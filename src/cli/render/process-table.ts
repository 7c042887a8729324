import stringWidth from 'string-width';
import { formatDuration } from '../../config/duration.ts';
import type { ProcessView } from '../../process/process-view.ts';
import type { Page } from './page.ts';
import { toPrintable } from './printable.ts';
import { statusStyle } from './status-style.ts';
import { clip, pad } from './wrap.ts';

const HEADINGS = ['ID', 'STATUS', 'PID', 'RUNTIME', 'COMMAND'] as const;
const GAP = 2;
const INDENT = 2;

/** Processes as a table; the last column takes what room is left. */
export function renderProcessTable(views: readonly ProcessView[], page: Page): string[] {
  const rows = views.map(toCells);
  const widths = HEADINGS.map((heading, column) =>
    Math.max(...[heading, ...rows.map((cells) => cells[column] ?? '')].map((cell) => stringWidth(cell))),
  );
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP, INDENT);
  const toRow = (cells: readonly string[]) =>
    cells.map((cell, column) =>
      column === cells.length - 1 ? clip(cell, page.width - before) : pad(cell, (widths[column] ?? 0) + GAP),
    );
  const heading = page.paint('dim', toRow(HEADINGS).join(''));
  return [heading, ...views.map((view, index) => paintRow(toRow(rows[index] ?? []), view, page))].map(
    (line) => ' '.repeat(INDENT) + line.trimEnd(),
  );
}

function paintRow(cells: readonly string[], view: ProcessView, { paint }: Page): string {
  return cells.map((cell, column) => (column === 1 ? paint(statusStyle[view.status], cell) : cell)).join('');
}

function toCells(view: ProcessView): readonly string[] {
  const command = toPrintable(view.commandLine).replaceAll(/\s*\n\s*/g, ' ⏎ ');
  return [
    view.id,
    view.status.replace('_', ' '),
    'pid' in view && view.pid !== null ? String(view.pid) : '–',
    'runtimeMs' in view ? formatDuration(view.runtimeMs) : '–',
    view.label === null ? command : `${toPrintable(view.label)}: ${command}`,
  ];
}

import { createRequire } from 'node:module';
import type { IBufferCell, Terminal } from '@xterm/headless';

/** One window of the picture: its title, and the control sequences that draw its screen. */
export interface Window {
  readonly title: string;
  readonly columns: number;
  readonly rows: number;
  readonly drawing: string;
}

const CELL_WIDTH = 8.4;
const LINE_HEIGHT = 18;
const BAR_HEIGHT = 28;
const MARGIN = 14;

/** Draws screens below each other, as a terminal would show them, in text that can be selected. */
export async function toSvg(windows: readonly Window[]): Promise<string> {
  const width = Math.max(...windows.map(({ columns }) => columns)) * CELL_WIDTH + 2 * MARGIN;
  const parts: string[] = [];
  let top = 0;
  for (const window of windows) {
    const height = BAR_HEIGHT + window.rows * LINE_HEIGHT + MARGIN;
    parts.push(await toWindow(window, { top, width, height }));
    top += height + MARGIN;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top - MARGIN}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    `<title>${escapeXml(windows.map(({ title }) => title).join('; '))}</title>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

async function toWindow(
  window: Window,
  { top, width, height }: { top: number; width: number; height: number },
): Promise<string> {
  const screen = await render(window);
  const lines = Array.from({ length: window.rows }, (_, row) => toLine(screen, row)).filter(
    ({ text }) => text !== '',
  );
  return [
    `<g transform="translate(0 ${top})">`,
    `<rect width="${width}" height="${height}" rx="8" fill="#1d1f21"/>`,
    `<text x="${width / 2}" y="19" fill="#8a8d91" text-anchor="middle">${escapeXml(window.title)}</text>`,
    ...lines.map(
      ({ row, text }) =>
        `<text y="${BAR_HEIGHT + (row + 1) * LINE_HEIGHT - 5}" xml:space="preserve">${text}</text>`,
    ),
    '</g>',
  ].join('\n');
}

async function render({ columns, rows, drawing }: Window): Promise<Terminal> {
  const { Terminal: Headless } = createRequire(import.meta.url)(
    '@xterm/headless',
  ) as typeof import('@xterm/headless');
  const screen = new Headless({ cols: columns, rows, allowProposedApi: true });
  await new Promise<void>((resolve) => screen.write(drawing, resolve));
  return screen;
}

/** Runs of cells that look the same, each at its place. */
function toLine(screen: Terminal, row: number): { row: number; text: string } {
  const buffer = screen.buffer.active;
  const line = buffer.getLine(buffer.viewportY + row);
  const runs: { column: number; style: string; text: string }[] = [];
  for (let column = 0; column < screen.cols; column += 1) {
    const cell = line?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const style = toStyle(cell);
    const text = cell.getChars() || ' ';
    const last = runs.at(-1);
    if (last?.style === style) last.text += text;
    else runs.push({ column, style, text });
  }
  const spans = runs
    .filter(({ text }) => text.trim() !== '')
    .map(
      ({ column, style, text }) =>
        `<tspan x="${(MARGIN + column * CELL_WIDTH).toFixed(1)}" ${style}>${escapeXml(text.trimEnd())}</tspan>`,
    );
  return { row, text: spans.join('') };
}

const palette = ['#3b3d40', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#d7dae0'];
const plain = '#d7dae0';

function toStyle(cell: IBufferCell): string {
  const bold = cell.isBold() ? ' font-weight="bold"' : '';
  const dim = cell.isDim() ? ' fill-opacity="0.6"' : '';
  return `fill="${toColour(cell)}"${bold}${dim}`;
}

/** The sixteen colours that have names; the others as they are. */
function toColour(cell: IBufferCell): string {
  if (cell.isFgRGB()) return `#${cell.getFgColor().toString(16).padStart(6, '0')}`;
  return cell.isFgPalette() ? (palette[cell.getFgColor() % 8] ?? plain) : plain;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

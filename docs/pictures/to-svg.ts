import { createRequire } from 'node:module';
import type { IBufferCell, Terminal } from '@xterm/headless';

/** One window of the picture: its title, and the control sequences that draw its screen. */
export interface Window {
  readonly title: string;
  readonly columns: number;
  readonly rows: number;
  readonly drawing: string;
  /** The rows that are shown, the last exclusive; all of them without it. */
  readonly shown?: readonly [from: number, to: number];
}

/** The colours of a window on a light and on a dark page. */
interface Theme {
  readonly paper: string;
  readonly border: string;
  readonly title: string;
  readonly plain: string;
  readonly palette: readonly string[];
}

export const dark: Theme = {
  paper: '#1d1f21',
  border: '#3b3d40',
  title: '#8a8d91',
  plain: '#d7dae0',
  palette: ['#3b3d40', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#d7dae0'],
};

export const light: Theme = {
  paper: '#ffffff',
  border: '#d0d7de',
  title: '#57606a',
  plain: '#1f2328',
  palette: ['#57606a', '#cf222e', '#1a7f37', '#9a6700', '#0969da', '#8250df', '#1b7c83', '#1f2328'],
};

const CELL_WIDTH = 8.4;
const LINE_HEIGHT = 18;
const BAR_HEIGHT = 28;
const MARGIN = 14;

/** Draws screens below each other, as a terminal would show them, in text that can be selected. */
export async function toSvg(windows: readonly Window[], theme: Theme): Promise<string> {
  const width = Math.max(...windows.map(({ columns }) => columns)) * CELL_WIDTH + 2 * MARGIN;
  const parts: string[] = [];
  let top = 0;
  for (const window of windows) {
    const [from, to] = shownRows(window);
    const height = BAR_HEIGHT + (to - from) * LINE_HEIGHT + MARGIN;
    parts.push(await toWindow(window, { top, width, height, theme }));
    top += height + MARGIN;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top - MARGIN}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">`,
    `<title>${escapeXml(windows.map(({ title }) => title).join('; '))}</title>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

function shownRows({ rows, shown = [0, rows] }: Window): readonly [from: number, to: number] {
  return shown;
}

interface Frame {
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
}

async function toWindow(window: Window, { top, width, height, theme }: Frame): Promise<string> {
  const screen = await render(window);
  const [from, to] = shownRows(window);
  const lines = Array.from({ length: to - from }, (_, row) => ({
    row,
    text: toLine(screen, from + row, theme),
  })).filter(({ text }) => text !== '');
  return [
    `<g transform="translate(0 ${top})">`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${theme.paper}" stroke="${theme.border}"/>`,
    `<text x="${width / 2}" y="19" fill="${theme.title}" text-anchor="middle">${escapeXml(window.title)}</text>`,
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
function toLine(screen: Terminal, row: number, theme: Theme): string {
  const buffer = screen.buffer.active;
  const line = buffer.getLine(buffer.viewportY + row);
  const runs: { column: number; style: string; text: string }[] = [];
  for (let column = 0; column < screen.cols; column += 1) {
    const cell = line?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const style = toStyle(cell, theme);
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
  return spans.join('');
}

function toStyle(cell: IBufferCell, theme: Theme): string {
  const bold = cell.isBold() ? ' font-weight="bold"' : '';
  const dim = cell.isDim() ? ' fill-opacity="0.6"' : '';
  return `fill="${toColour(cell, theme)}"${bold}${dim}`;
}

/** The sixteen colours that have names; the others as they are. */
function toColour(cell: IBufferCell, { palette, plain }: Theme): string {
  if (cell.isFgRGB()) return `#${cell.getFgColor().toString(16).padStart(6, '0')}`;
  return cell.isFgPalette() ? (palette[cell.getFgColor() % 8] ?? plain) : plain;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

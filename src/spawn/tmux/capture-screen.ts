import type { ScreenCapture } from '../../../machines/process/terminal.ts';
import { parseScreenText } from '../terminal/screen-text.ts';
import { readStyledLines, toUnicodeLines } from '../terminal/styled-lines.ts';
import { screenFormat } from './end-script.ts';
import type { TmuxCommand } from './quoting.ts';
import { toPaneTarget } from './tmux-server.ts';

export interface CaptureOptions {
  readonly scrollbackLines: number;
  readonly withDrawing: boolean;
}

/** Commands of one call, so that all parts of the answer are of one moment. */
export function toCaptureCommands(id: string, { scrollbackLines }: CaptureOptions): readonly TmuxCommand[] {
  const target = toPaneTarget(id);
  // `-e` because a plain capture prints line drawing as letters.
  const capture = ['capture-pane', '-p', '-e', '-t', target];
  return [
    [
      'display-message',
      '-p',
      '-t',
      target,
      '#{pane_height} #{history_size} #{pane_dead} #{keypad_cursor_flag}#{keypad_flag}',
    ],
    ['display-message', '-p', '-t', target, screenFormat],
    capture,
    ...(scrollbackLines > 0 ? [[...capture, '-S', `-${scrollbackLines}`, '-E', '-1']] : []),
  ];
}

/** Parses the answer to `toCaptureCommands`; `null` where it is none. */
export function readScreen(
  text: string,
  { scrollbackLines, withDrawing }: CaptureOptions,
): { readonly screen: ScreenCapture; readonly drawing: string | null } | null {
  const [head = '', ...rest] = text.split('\n');
  const [, rows = 0, historyLines = 0, isDead = 0, modes = ''] =
    /^(\d+) (\d+) ([01]?) ([01]*)$/.exec(head) ?? [];
  const height = Number(rows);
  const screen = parseScreenText(rest.slice(0, 1 + height).join('\n'));
  if (screen === null || height === 0) return null;
  const pastFrom = 1 + height;
  const pastLines = Math.min(scrollbackLines, Number(historyLines));
  const past = readStyledLines(rest.slice(pastFrom, pastFrom + pastLines));
  const scrollback = past.texts.map((line) => line.trimEnd());
  return {
    screen: { ...screen, scrollback, isLast: isDead === '1' },
    drawing: withDrawing ? toDrawing(toUnicodeLines(rest.slice(1, pastFrom)), { screen, modes }) : null,
  };
}

function toDrawing(
  lines: readonly string[],
  { screen, modes }: { screen: ScreenCapture; modes: string },
): string {
  const { cursor, isAlternate } = screen;
  const [wantsCursorKeys, wantsKeypad] = modes;
  return [
    isAlternate ? '\x1b[?1049h' : '',
    '\x1b[0m\x1b[H\x1b[2J',
    ...lines.map((line, row) => (line === '' ? '' : `\x1b[${row + 1};1H${line}`)),
    '\x1b[0m',
    wantsCursorKeys === '1' ? '\x1b[?1h' : '',
    wantsKeypad === '1' ? '\x1b=' : '',
    `\x1b[${cursor.row + 1};${cursor.column + 1}H`,
    cursor.isVisible ? '\x1b[?25h' : '\x1b[?25l',
  ].join('');
}

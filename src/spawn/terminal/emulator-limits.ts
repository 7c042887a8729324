import type { Terminal } from '@xterm/headless';

/** Titles, links and the like (OSC), and words for a device (DCS), also by the one character of ECMA-48. The last: perhaps the half of one. */
const beginning = /\x1b[\]P]|[\x90\x9d]|\x1b$/g;
const ends = { osc: /[\x07\x18\x1a\x1b\x80-\x9f]/g, dcs: /[\x18\x1a\x1b\x80-\x9f]/g };

/** More than any title that is kept. */
const maxStringLength = 4_096;

/**
 * Leaves out what is beyond that in each string of a terminal's output, which comes in any pieces: the emulator would collect megabytes of a title
 * that nobody is shown. Whatever a screen shows comes through.
 */
export function createStringLimit(): (piece: string) => string {
  let within: keyof typeof ends | null = null;
  let room = 0;
  let held = '';

  return (piece) => {
    const text = held + piece;
    held = '';
    let kept = '';
    for (let at = 0; at < text.length; ) {
      if (within === null) {
        const found = findFrom(beginning, { text, at });
        if (found === null) return kept + text.slice(at);
        if (found[0] === '\x1b') {
          held = found[0];
          return kept + text.slice(at, found.index);
        }
        within = /[\]\x9d]$/.test(found[0]) ? 'osc' : 'dcs';
        room = maxStringLength;
        const to = found.index + found[0].length;
        kept += text.slice(at, to);
        at = to;
      } else {
        const found = findFrom(ends[within], { text, at });
        const to = found?.index ?? text.length;
        kept += text.slice(at, Math.min(to, at + room));
        room = Math.max(0, room - (to - at));
        at = to;
        if (found !== null) within = null;
      }
    }
    return kept;
  };
}

function findFrom(expression: RegExp, { text, at }: { text: string; at: number }): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

/** What the emulator itself does for these; it has no public name. Its version is pinned. */
interface Doer {
  readonly _core?: { readonly _inputHandler?: Partial<Record<Repeated, (params: Params) => unknown>> };
}

type Repeated = (typeof repeated)[keyof typeof repeated];
type Params = { readonly params: readonly number[]; readonly length: number };

/** Control sequences that say how often something is to be done, by their last character. */
const repeated = {
  I: 'cursorForwardTab',
  L: 'insertLines',
  M: 'deleteLines',
  S: 'scrollUp',
  T: 'scrollDown',
  Z: 'cursorBackwardTab',
  b: 'repeatPrecedingCharacter',
} as const;

/**
 * The emulator does these as often as it is told, one by one: `ESC [ 2147483647 L` would keep this program busy for hours. More often
 * than there are lines and columns makes no difference to the screen, but for a character that is to be repeated over several lines.
 */
export function limitRepeats(terminal: Terminal): void {
  const handler = (terminal as unknown as Doer)._core?._inputHandler;
  for (const [final, name] of Object.entries(repeated)) {
    terminal.parser.registerCsiHandler({ final }, (params) => {
      const maxTimes = Math.max(terminal.rows, terminal.cols);
      const [times] = params;
      // `T` with five numbers is something else, which the emulator does not know.
      if (typeof times !== 'number' || times <= maxTimes) return false;
      if (params.length === 1) handler?.[name]?.({ params: [maxTimes], length: 1 });
      return true;
    });
  }
}

/** Orders that touch the whole screen: lines and columns that move, other screens, resets. Others touch a line at most. */
const whole = String.raw`(?:\x1b\[|\x9b)(?:[\d;:]*(?:[LMSTJ]|[ '][@A}~])|\?[\d;]*(?:47|49|J)[hl]?)|\x1b(?:c|#8)`;
const orders = new RegExp(`(${whole})|\\x1b`, 'g');

/** So many places of the screen are touched in one piece, and so many are reckoned for a small order. */
const maxPlaces = 32 * 1024;
const placesOfSmall = 100;

/** Bytes of plain text that take as long to draw as one place takes to be moved. */
const bytesPerPlace = 1.5;

export interface Work {
  readonly text: string;
  /** How long it takes to draw, in bytes of plain text. */
  readonly weight: number;
}

/** Cuts it so that each piece is soon drawn: between two of them the emulator looks at the clock. */
export function cutWork(text: string, { places, bytes }: { places: number; bytes: number }): readonly Work[] {
  const pieces: Work[] = [];
  let from = 0;
  let touched = 0;
  let moved = 0;
  for (const { index, 1: isWhole } of text.matchAll(orders)) {
    if (touched >= maxPlaces) {
      pieces.push({ text: text.slice(from, index), weight: moved * bytesPerPlace });
      [from, touched, moved] = [index, 0, 0];
    }
    touched += isWhole === undefined ? placesOfSmall : places;
    if (isWhole !== undefined) moved += places;
  }
  return [...pieces, { text: text.slice(from), weight: moved * bytesPerPlace + bytes }];
}

import type { Terminal } from '@xterm/headless';

/**
 * Beginnings of titles, links and the like (OSC), and of device strings (DCS), also as the single characters of ECMA-48. The last
 * one may be half of a beginning.
 */
const beginning = /\x1b[\]P]|[\x90\x9d]|\x1b$/g;
const ends = { osc: /[\x07\x18\x1a\x1b\x80-\x9f]/g, dcs: /[\x18\x1a\x1b\x80-\x9f]/g };

/** Maximum length of a string, longer than any title that is kept. */
const maxStringLength = 4_096;

/**
 * Creates a filter that truncates strings in a terminal's output, which may come in any pieces: the emulator would collect
 * megabytes of a title that is never shown. Everything visible passes.
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

/** Private handler of the emulator for these sequences, which have no public name. The emulator's version is pinned. */
interface Doer {
  readonly _core?: { readonly _inputHandler?: Partial<Record<Repeated, (params: Params) => unknown>> };
}

type Repeated = (typeof repeated)[keyof typeof repeated];
type Params = { readonly params: readonly number[]; readonly length: number };

/** Control sequences with a repeat count, by their last character. */
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
 * Limits repeat counts, which the emulator executes one by one: `ESC [ 2147483647 L` would block this program for hours. A count
 * above the number of lines and columns makes no difference, except for a character repeated over several lines.
 */
export function limitRepeats(terminal: Terminal): void {
  const handler = (terminal as unknown as Doer)._core?._inputHandler;
  for (const [final, name] of Object.entries(repeated)) {
    terminal.parser.registerCsiHandler({ final }, (params) => {
      const maxTimes = Math.max(terminal.rows, terminal.cols);
      const [times] = params;
      // `T` with five numbers is another sequence, which the emulator does not know.
      if (typeof times !== 'number' || times <= maxTimes) return false;
      if (params.length === 1) handler?.[name]?.({ params: [maxTimes], length: 1 });
      return true;
    });
  }
}

/** Sequences that touch the whole screen: moved lines and columns, other screens, resets. Others touch a line at most. */
const whole = String.raw`(?:\x1b\[|\x9b)(?:[\d;:]*(?:[LMSTJ]|[ '][@A}~])|\?[\d;]*(?:47|49|J)[hl]?)|\x1b(?:c|#8)`;
const orders = new RegExp(`(${whole})|\\x1b`, 'g');

/** Maximum number of cells touched in one piece, and the number counted for a small sequence. */
const maxPlaces = 32 * 1024;
const placesOfSmall = 100;

/** Bytes of plain text that take as long to draw as moving one cell. */
const bytesPerPlace = 1.5;

export interface Work {
  readonly text: string;
  /** Time to draw it, in bytes of plain text. */
  readonly weight: number;
}

/** Cuts text into pieces that are soon drawn: between two pieces the emulator checks the clock. */
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

/** Matches up to the switch to the alternate screen, which hides everything drawn before. */
const otherScreen = /^[\s\S]*\x1b\[\?(?:1049|1047|47)h/;

const beforeJump = /(?=\x1b\[\d*(?:;\d*)?H)/;
const jump = /^\x1b\[(\d*)(?:;\d*)?H/;
const moveRight = /\x1b\[(\d*)C/g;

/** Control sequences except those that set colours. */
const notColours = /\x1b(?:\[[\d;:?<=>]*[@-ln-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[^[\]])/g;

/** Returns the lines of a drawing with their colours, but without cursor movements and modes, so that they can be printed anywhere. */
export function toColouredLines(drawing: string): readonly string[] {
  const lines: string[] = [];
  const colours = createColourTracker();
  let row = 0;
  for (const part of drawing.replace(otherScreen, '').split(beforeJump)) {
    const [sequence, to] = jump.exec(part) ?? [];
    if (sequence !== undefined) row = Math.max(1, Number(to)) - 1;
    const texts = toText(part.slice(sequence?.length ?? 0)).split(/\r?\n/);
    for (const [index, text] of texts.entries()) {
      // Colours continue from the line before.
      const coloured = text === '' ? '' : colours.toSequence() + text;
      colours.update(text);
      lines[row + index] =
        (lines[row + index] ?? '') + (coloured.includes('\x1b') ? `${coloured}\x1b[0m` : coloured);
    }
    row += texts.length - 1;
  }
  // Rows without drawing are holes in the array.
  return Array.from(lines, (line = '') => line);
}

function toText(part: string): string {
  const toBlanks = (_: string, count: string) => ' '.repeat(Math.max(1, Number(count)));
  return part.replace(moveRight, toBlanks).replace(notColours, '');
}

/** Tracks the colours and styles that a text has switched on, so that they can be switched on again elsewhere. */
export interface ColourTracker {
  update(text: string): void;
  /** Returns the sequence that switches the current styles on; empty without any. */
  toSequence(): string;
}

const selection = /\x1b\[([\d;:]*)m/g;

/** Styles that each code switches off (Select Graphic Rendition, ECMA-48 8.3.117). */
const ends: Readonly<Record<number, readonly string[]>> = {
  22: ['1', '2'],
  23: ['3'],
  24: ['4', '21'],
  25: ['5', '6'],
  27: ['7'],
  28: ['8'],
  29: ['9'],
  39: ['text'],
  49: ['background'],
  55: ['53'],
  59: ['58'],
};

export function createColourTracker(): ColourTracker {
  const open = new Map<string, string>();

  function select(parameters: string[]): void {
    for (let at = 0; at < parameters.length; ) {
      const code = Number.parseInt(parameters[at] || '0', 10);
      const length = lengthAt(parameters, at);
      const ended = ends[code];
      if (code === 0) open.clear();
      else if (ended === undefined) open.set(kindOf(code), parameters.slice(at, at + length).join(';'));
      else for (const kind of ended) open.delete(kind);
      at += length;
    }
  }

  return {
    update: (text) => {
      for (const [, parameters = ''] of text.matchAll(selection)) select(parameters.split(';'));
    },
    toSequence: () => (open.size === 0 ? '' : `\x1b[${[...open.values()].join(';')}m`),
  };
}

function kindOf(code: number): string {
  if ((code >= 30 && code <= 38) || (code >= 90 && code <= 97)) return 'text';
  if ((code >= 40 && code <= 48) || (code >= 100 && code <= 107)) return 'background';
  return `${code}`;
}

/** Returns the number of parameters of a code: an extended colour has several, `38;5;9` or `38;2;0;0;255`; with colons it is one. */
function lengthAt(parameters: readonly string[], at: number): number {
  if (!['38', '48', '58'].includes(parameters[at] ?? '')) return 1;
  return parameters[at + 1] === '5' ? 3 : 5;
}

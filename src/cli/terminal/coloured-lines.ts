import { createOpenColours } from './open-colours.ts';

/** Where a drawing begins to show another screen; what it draws before that is hidden by it. */
const otherScreen = /^[\s\S]*\x1b\[\?(?:1049|1047|47)h/;

const beforeJump = /(?=\x1b\[\d*(?:;\d*)?H)/;
const jump = /^\x1b\[(\d*)(?:;\d*)?H/;
const moveRight = /\x1b\[(\d*)C/g;

/** Control sequences but for those that choose a colour. */
const notColours = /\x1b(?:\[[\d;:?<=>]*[@-ln-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[^[\]])/g;

/** The lines of a drawing in their colours, without what moves a cursor or sets a mode: they can be printed anywhere. */
export function toColouredLines(drawing: string): readonly string[] {
  const lines: string[] = [];
  const colours = createOpenColours();
  let row = 0;
  for (const part of drawing.replace(otherScreen, '').split(beforeJump)) {
    const [sequence, to] = jump.exec(part) ?? [];
    if (sequence !== undefined) row = Math.max(1, Number(to)) - 1;
    const texts = toText(part.slice(sequence?.length ?? 0)).split(/\r?\n/);
    for (const [index, text] of texts.entries()) {
      // A drawing goes on in the colours of the line before.
      const coloured = text === '' ? '' : colours.opening() + text;
      colours.see(text);
      lines[row + index] =
        (lines[row + index] ?? '') + (coloured.includes('\x1b') ? `${coloured}\x1b[0m` : coloured);
    }
    row += texts.length - 1;
  }
  // Rows that nothing was drawn in are holes.
  return Array.from(lines, (line = '') => line);
}

function toText(part: string): string {
  const toBlanks = (_: string, count: string) => ' '.repeat(Math.max(1, Number(count)));
  return part.replace(moveRight, toBlanks).replace(notColours, '');
}

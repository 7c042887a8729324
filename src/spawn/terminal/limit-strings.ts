/** Titles, links and the like (OSC), and words for a device (DCS), also by the one character of ECMA-48. The last: perhaps the half of one. */
const beginning = /\x1b[\]P]|[\x90\x9d]|\x1b$/g;
const ends = { osc: /[\x07\x18\x1a\x1b\x80-\x9f]/g, dcs: /[\x18\x1a\x1b\x80-\x9f]/g };

/** More than any title that is kept. */
const longest = 4_096;

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
        room = longest;
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

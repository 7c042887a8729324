import { createRequire } from 'node:module';
import type { SerializeAddon } from '@xterm/addon-serialize';
import type { IUnicodeVersionProvider, Terminal } from '@xterm/headless';
import { toErrorText } from '../../config/error-text.ts';
import type { Unavailable } from './terminal-deps.ts';

/** What renders screens. */
export interface Emulator {
  readonly Terminal: typeof Terminal;
  readonly SerializeAddon: typeof SerializeAddon;
  readonly widths: IUnicodeVersionProvider;
}

/** Loaded on first use: most programs never have a terminal. */
export function loadEmulator(): Emulator | Unavailable {
  const load = createRequire(import.meta.url);
  try {
    const { Terminal } = load('@xterm/headless');
    const { SerializeAddon } = load('@xterm/addon-serialize');
    const { default: stringWidth } = load('string-width');
    return { Terminal, SerializeAddon, widths: createWidths(stringWidth) };
  } catch (error) {
    const [reason] = toErrorText(error).split('\n');
    return {
      why: `the package "@xterm/headless" or "@xterm/addon-serialize", which draw screens, cannot be loaded (${reason})`,
      remedy: 'Install troupe with its optional packages',
    };
  }
}

/** More than any script has that is on a screen at one time. */
const maxKnown = 20_000;

/** Shown on terminals, in whatever line. */
const softHyphen = 0xad;

/** On one character; more take a column each. A place on the screen could take any amount of memory. */
const maxMarks = 24;

/**
 * How many columns a character takes. The emulator's own table is that of Unicode 6, in which emoji are narrow; for the programs
 * on the screen they are wide. `charProperties` is what it does with its own table: a mark without width joins what it follows,
 * here not without end. Its bits are, from the highest down: the number of marks, the width, whether it joins.
 */
function createWidths(stringWidth: (text: string) => number): IUnicodeVersionProvider {
  const known = new Map<number, 0 | 1 | 2>();
  const wcwidth = (codepoint: number): 0 | 1 | 2 => {
    if (codepoint < 0x7f) return codepoint < 0x20 ? 0 : 1;
    if (codepoint === softHyphen) return 1;
    let width = known.get(codepoint);
    if (width === undefined) {
      if (known.size >= maxKnown) known.clear();
      width = Math.min(2, stringWidth(String.fromCodePoint(codepoint))) as 0 | 1 | 2;
      known.set(codepoint, width);
    }
    return width;
  };
  return {
    version: 'troupe',
    wcwidth,
    charProperties: (codepoint, preceding) => {
      const width = wcwidth(codepoint);
      const [marks, before] = [preceding >> 3, (preceding >> 1) & 3];
      if (width !== 0 || before === 0) return width << 1;
      return marks < maxMarks ? ((marks + 1) << 3) | (before << 1) | 1 : 1 << 1;
    },
  };
}

import type { SerializeAddon } from '@xterm/addon-serialize';
import type { IUnicodeVersionProvider, Terminal } from '@xterm/headless';
import { toErrorText } from '../../config/error-text.ts';
import { loadInstalled } from '../../config/installed-package.ts';
import type { Unavailable } from './terminal-deps.ts';

/** Classes of the terminal emulator that renders screens. */
export interface Emulator {
  readonly Terminal: typeof Terminal;
  readonly SerializeAddon: typeof SerializeAddon;
  readonly widths: IUnicodeVersionProvider;
}

/** Loads the packages on first use, because most programs never have a terminal. */
export function loadEmulator(): Emulator | Unavailable {
  try {
    const { Terminal } = loadInstalled('@xterm/headless') as typeof import('@xterm/headless');
    const { SerializeAddon } = loadInstalled(
      '@xterm/addon-serialize',
    ) as typeof import('@xterm/addon-serialize');
    const { default: stringWidth } = loadInstalled('string-width') as typeof import('string-width');
    return { Terminal, SerializeAddon, widths: createWidths(stringWidth) };
  } catch (error) {
    const [reason] = toErrorText(error).split('\n');
    return {
      why: `the package "@xterm/headless" or "@xterm/addon-serialize", which draw screens, cannot be loaded (${reason})`,
      remedy: 'Install troupe with its optional packages',
    };
  }
}

/** Maximum number of cached widths, more than the characters on a screen at one time. */
const maxKnown = 20_000;

/** Soft hyphen, which terminals show everywhere. */
const softHyphen = 0xad;

/** Maximum combining marks on one character; more take a column each. Without a limit one cell could take any amount of memory. */
const maxMarks = 24;

/**
 * Creates a table of character widths. The emulator's own table is that of Unicode 6, in which emoji are narrow; programs take
 * them for wide. `charProperties` does what the emulator does with its own table: a mark without width joins the character before
 * it, but not without limit. Its bits are, from the highest down: the number of marks, the width, and whether it joins.
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

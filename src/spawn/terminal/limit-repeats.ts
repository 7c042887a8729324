import type { Terminal } from '@xterm/headless';

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
      const mostTimes = Math.max(terminal.rows, terminal.cols);
      const [times] = params;
      // `T` with five numbers is something else, which the emulator does not know.
      if (typeof times !== 'number' || times <= mostTimes) return false;
      if (params.length === 1) handler?.[name]?.({ params: [mostTimes], length: 1 });
      return true;
    });
  }
}

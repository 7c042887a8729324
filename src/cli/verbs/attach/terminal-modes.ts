/** Tracks the terminal modes that a program changes, so that they can be restored. */
export interface TerminalModes {
  /** Receives output for the terminal, in pieces of any size. */
  see(bytes: Uint8Array): void;
  /** Returns control sequences that restore the modes that a shell expects. */
  restoring(): string;
}

/** Private modes that a shell expects on: cursor and wrapping (DECSET of xterm). It expects all others off. */
const usuallyOn = new Set(['25', '7']);

/** Modes of the alternate screen. They are restored together, by one sequence. */
const screens = ['1049', '1047', '47'];

const modeChange = /\x1b\[\?([\d;]+)([hl])|\x1b\[([<>=])([\d;]*)u/g;

/** More characters than any sequence searched for. */
const MAX_OPEN_CHARACTERS = 64;

export function createTerminalModes(): TerminalModes {
  const changed = new Map<string, boolean>();
  let open = '';
  let keyboards = 0;

  return {
    see: (bytes) => {
      const text = open + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
      let end = 0;
      for (const found of text.matchAll(modeChange)) {
        end = found.index + found[0].length;
        const [, modes = '', verb, keyboard] = found;
        if (keyboard === '>') keyboards += 1;
        else if (keyboard === '<') keyboards = Math.max(0, keyboards - 1);
        for (const mode of modes.split(';').filter(Boolean)) changed.set(mode, verb === 'h');
      }
      open = text.slice(Math.max(end, text.length - MAX_OPEN_CHARACTERS));
    },
    restoring: () => {
      const left = [...changed].filter(([mode, isOn]) => isOn !== usuallyOn.has(mode)).map(([mode]) => mode);
      const isElsewhere = left.some((mode) => screens.includes(mode));
      const others = left.filter((mode) => !screens.includes(mode));
      return [
        keyboards > 0 ? `\x1b[<${keyboards}u` : '',
        // Soft reset: margins, origin, insert, keypad, character sets.
        '\x1b[!p\x1b>\x1b[>4m\x1b[0m',
        ...others.map((mode) => `\x1b[?${mode}${usuallyOn.has(mode) ? 'h' : 'l'}`),
        '\x1b[?25h\x1b[?7h',
        isElsewhere ? '\x1b[?1049l' : '',
      ].join('');
    },
  };
}

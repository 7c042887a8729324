import type { KeyStroke, Modifiers, NamedKey } from '../../../machines/process/terminal.ts';
import { encodeCharacter, encodeKeys, type KeyboardModes } from '../terminal/encode-keys.ts';
import { toPauseMs } from '../terminal/press-keys.ts';
import type { TmuxCommand } from './quoting.ts';

/** Returns commands that press keys one after another, with time for the program to take each, and how long that lasts. */
export function toKeyCommands(
  strokes: readonly KeyStroke[],
  target: string,
): { readonly commands: readonly TmuxCommand[]; readonly lastsMs: number } {
  let lastsMs = 0;
  const commands = strokes.flatMap((stroke) => {
    const pauseMs = toPauseMs(stroke);
    lastsMs += pauseMs;
    return [
      ['send-keys', '-t', target, ...toKeyWords(stroke)],
      ['run-shell', '-d', `${pauseMs / 1_000}`],
    ];
  });
  return { commands: [toProgram(target), ...commands], lastsMs };
}

/** Returns commands that type bytes literally: in this form no version of tmux changes them. */
export function toByteCommands(bytes: Uint8Array, target: string): readonly TmuxCommand[] {
  return [toProgram(target), ['send-keys', '-t', target, '-H', ...toHexWords(bytes)]];
}

/** Returns the command that leaves copy mode, so that a person who scrolls back does not catch the input. */
export function toProgram(target: string): TmuxCommand {
  return ['if-shell', '-F', '-t', target, '#{pane_in_mode}', `copy-mode -q -t ${target}`];
}

function toKeyWords(stroke: KeyStroke): readonly string[] {
  switch (stroke.type) {
    case 'text':
      // A command of tmux ends at a NUL.
      if (stroke.text.includes('\0')) return ['-H', ...toHexWords(Buffer.from(stroke.text))];
      return ['-l', '--', stroke.text];
    case 'character':
      return ['-H', ...toHexWords(Buffer.from(encodeCharacter(stroke)))];
    case 'key':
      return byTmux.has(stroke.key)
        ? [toKeyName(stroke.key, stroke)]
        : ['-H', ...toHexWords(Buffer.from(encodeKeys(stroke, anyModes)))];
  }
}

/**
 * Returns the name of a key for tmux, which knows the program's mode for arrows. For keys without a code for a modifier it would
 * type the name.
 */
function toKeyName(key: NamedKey, { ctrl, alt, shift }: Modifiers): string {
  const modifiers = [ctrl ? 'C-' : '', alt ? 'M-' : '', shift ? 'S-' : ''].join('');
  return `${modifiers}${tmuxNames[key] ?? key}`;
}

const tmuxNames: Partial<Record<NamedKey, string>> = { Delete: 'DC', Insert: 'IC' };

/** Cursor and function keys, for which tmux has a code with every modifier. */
const byTmux: ReadonlySet<NamedKey> = new Set<NamedKey>([
  ...(['Up', 'Down', 'Left', 'Right', 'Home', 'End', 'PageUp', 'PageDown', 'Insert', 'Delete'] as const),
  ...([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] as const).map((number) => `F${number}` as const),
]);

/** Modes for the other keys, which are the same in all modes. */
const anyModes: KeyboardModes = { applicationCursor: false, bracketedPaste: false };

function toHexWords(bytes: Uint8Array): readonly string[] {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'));
}

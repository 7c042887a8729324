import { quote } from '../../../config/quote.ts';
import { TroupeError } from '../../../config/troupe-error.ts';

/** The key that detaches: Ctrl and a character. */
export interface LeaveKey {
  /** Name for a person: `Ctrl-]`. */
  readonly name: string;
  /** Sequences that terminals send for the key: the byte, and those of the two extended keyboard protocols. */
  readonly sequences: readonly string[];
}

const DEFAULT_KEY = 'C-]';

/** Parses `--leave-key`. @throws TroupeError `invalid-option` */
export function parseLeaveKey(text: string = DEFAULT_KEY): LeaveKey {
  const [, character = ''] = /^(?:C-|\^|Ctrl-|Ctrl\+)([a-z\\\]^_])$/i.exec(text) ?? [];
  if (character === '') {
    const message = `--leave-key is ${quote(text)}; expected Ctrl and a character, C-a to C-z, C-\\, C-], C-^ or C-_.`;
    throw new TroupeError({ code: 'invalid-option', message });
  }
  const lower = character.toLowerCase();
  const code = lower.charCodeAt(0);
  return {
    name: `Ctrl-${lower}`,
    // The protocol of kitty, and modifyOtherKeys of xterm; 5 is Ctrl.
    sequences: [String.fromCharCode(code & 0x1f), `\x1b[${code};5u`, `\x1b[27;5;${code}~`],
  };
}

/** Returns the typed bytes before the key; `null` if it was not pressed. */
export function findLeaveKey(typed: Buffer, { sequences }: LeaveKey): Buffer | null {
  const places = sequences.map((sequence) => typed.indexOf(sequence, 0, 'latin1')).filter((at) => at >= 0);
  return places.length === 0 ? null : typed.subarray(0, Math.min(...places));
}

import { mayBeOption, type Word } from '../shell/word.ts';

/** Option syntax of a program, as far as needed to find the first word after the options. */
export interface OptionShape {
  /** Letters whose value is the next word, unless it follows at once: `-u root`, `-uroot`. */
  readonly letters?: string;
  /** Long options whose value is the next word unless attached with `=`. */
  readonly long?: readonly string[];
  /** `X=1` before the program. */
  readonly assignments?: boolean;
}

interface Skipped {
  /** Index of the first word that is no option. */
  readonly index: number;
  /** `true` if an unknown word stands among the options: the rest may be anything. */
  readonly isUnclear: boolean;
  /** `true` if the last option before the word is unknown: the word may be its value. */
  readonly isGuess: boolean;
}

/** Skips the options at the front of `words`, beginning behind the name of the program. */
export function skipOptions(words: readonly Word[], shape: OptionShape): Skipped {
  const { letters = '', long = [], assignments = false } = shape;
  let index = 1;
  let isGuess = false;
  for (;;) {
    const word = words[index];
    if (word === undefined) return { index, isUnclear: false, isGuess };
    if (mayBeOption(word)) return { index, isUnclear: true, isGuess };
    if (word === '--') index += 1;
    else if (word.startsWith('--')) index += long.includes(word) ? 2 : 1;
    else if (/^[-+]./.test(word)) index += takesNext(word, letters) ? 2 : 1;
    else if (!(assignments && /^[A-Za-z_]\w*=/.test(word))) return { index, isUnclear: false, isGuess };
    else index += 1;
    isGuess = isUnknownOption(word, shape);
    if (word === '--' && !assignments) return { index, isUnclear: false, isGuess };
  }
}

/** Tells whether an option is unknown. Where letters are listed, all others take no value. */
function isUnknownOption(word: Word, { letters, long = [] }: OptionShape): boolean {
  if (word === '--' || word.includes('=')) return false;
  if (word.startsWith('--')) return !long.includes(word);
  return /^-[A-Za-z]/.test(word) && letters === undefined;
}

/** Returns whether a cluster such as `-nu` takes the next word: its last letter does, unless a letter before it takes the rest of the cluster. */
function takesNext(cluster: Word, letters: string): boolean {
  const first = [...cluster].findIndex((letter, position) => position > 0 && letters.includes(letter));
  return first === cluster.length - 1 && first > 0;
}

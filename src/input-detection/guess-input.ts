import type { AwaitedInput } from '../process/process-view.ts';

/** End of a line that asks for input. A percentage is progress, not a prompt. */
const asks = /(?:[?:>»❯›$#]|(?<!\d\s*)%|[([]\s*y(?:es)?\s*\/\s*n(?:o)?\s*[)\]])$/iu;
/** Matches a question with its default value, such as `package name: (app)`. */
const offersDefault = /[?:]\s*(?:\([^()]+\)|\[[^[\]]+\])$/;
/** Matches a question as prompt libraries draw it, such as `? Project name › app`. */
const isDrawnQuestion = /^[?◆]\s+\S/u;
const asksForKey =
  /^--\s?more\s?--|^\(end\)$|^lines \d+-\d+|\b(?:press|hit)\s+(?:any key|enter|return|space)\b/i;
const asksForSecret =
  /\b(?:pass(?:word|phrase|code)|pin|otp|(?:one-time|verification|security) code|secret|api[ -]?key|(?:access )?token)\b/i;

/** Guesses from an unfinished line whether the program asks for input. */
export function guessInput(openLine: string | null): AwaitedInput['kind'] | null {
  if (openLine === null) return null;
  if (asksForKey.test(openLine)) return 'key';
  if (![asks, offersDefault, isDrawnQuestion].some((form) => form.test(openLine))) return null;
  return asksForSecret.test(openLine) ? 'secret' : 'line';
}

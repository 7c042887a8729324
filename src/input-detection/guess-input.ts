import type { AwaitedInput } from '../process/process-view.ts';

/** How a line ends behind which one types. A percentage is how far something has come. */
const asks = /(?:[?:>»❯›$#]|(?<!\d\s*)%|[([]\s*y(?:es)?\s*\/\s*n(?:o)?\s*[)\]])$/iu;
/** `package name: (app)`: behind the question stands what Enter stands for. */
const offersDefault = /[?:]\s*(?:\([^()]+\)|\[[^[\]]+\])$/;
/** `? Project name › app`, as libraries for prompts draw it. */
const isDrawnQuestion = /^[?◆]\s+\S/u;
const asksForKey =
  /^--\s?more\s?--|^\(end\)$|^lines \d+-\d+|\b(?:press|hit)\s+(?:any key|enter|return|space)\b/i;
const asksForSecret =
  /\b(?:pass(?:word|phrase|code)|pin|otp|(?:one-time|verification|security) code|secret|api[ -]?key|(?:access )?token)\b/i;

/** By a line that was not ended, whether somebody is asked to type. A guess: nobody else can be asked. */
export function guessInput(openLine: string | null): AwaitedInput['kind'] | null {
  if (openLine === null) return null;
  if (asksForKey.test(openLine)) return 'key';
  if (![asks, offersDefault, isDrawnQuestion].some((form) => form.test(openLine))) return null;
  return asksForSecret.test(openLine) ? 'secret' : 'line';
}

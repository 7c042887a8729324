import { quote } from '../config/quote.ts';
import { span, toMs } from '../config/span.ts';
import { TroupeError } from '../config/troupe-error.ts';

/**
 * A duration of the command line in milliseconds: seconds, or text with a unit, as in an agent's file.
 *
 * @throws TroupeError `invalid-option`, naming the flag.
 */
export function parseDuration(text: string, flag: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  if (span.safeParse(value).success) return toMs(value);
  throw new TroupeError({
    code: 'invalid-option',
    message: `${flag} is ${quote(text)}; expected seconds, or a duration such as 500ms, 30s, 5m.`,
  });
}

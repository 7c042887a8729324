import { toErrorText } from '../config/error-text.ts';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';

/**
 * What a line is looked through for: `/expression/flags`, or text that it contains.
 *
 * @throws TroupeError `invalid-option`
 */
export function parsePattern(text: string): string | RegExp {
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(text) ?? [];
  if (source === undefined) return text;
  try {
    return new RegExp(source, flags);
  } catch (error) {
    const message = `${quote(text)} is no regular expression: ${toErrorText(error)}.`;
    throw new TroupeError({ code: 'invalid-option', message, cause: error });
  }
}

import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';

/**
 * Headers that no request could be sent with; a value may be a secret and is not shown.
 *
 * @throws TroupeError `invalid-option`
 */
export function checkHeaders(headers: Readonly<Record<string, string>>, name: string): void {
  for (const [header, value] of Object.entries(headers)) {
    const problem = findProblem(header, value);
    if (problem === null) continue;
    const message = `${name}: "headers" has ${quote(header)}, ${problem}.`;
    throw new TroupeError({ code: 'invalid-option', message });
  }
}

function findProblem(header: string, value: string): string | null {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header)) return 'which is no name of a header';
  if (!/^[\t\x20-\x7e]*$/.test(value)) return 'whose value is not one line of ASCII';
  return null;
}

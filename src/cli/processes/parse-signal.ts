import { constants } from 'node:os';
import type { ProcessSignal } from '../../../machines/process/context.ts';
import { nearest } from '../../config/nearest.ts';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';

/**
 * A signal as kill(1) takes it: `TERM`, `SIGTERM`, `term` or `15`.
 *
 * @throws TroupeError `invalid-option`
 */
export function parseSignal(text: string): ProcessSignal {
  const names = Object.entries(constants.signals);
  const byNumber = names.find(([, number]) => String(number) === text)?.[0];
  const name = byNumber ?? `SIG${text.toUpperCase().replace(/^SIG/, '')}`;
  if (Object.hasOwn(constants.signals, name)) return name as ProcessSignal;
  const known = names.map(([each]) => each);
  const meant = nearest(name, known);
  const hint = meant === null ? 'kill -l lists them.' : `Did you mean ${meant}?`;
  throw new TroupeError({
    code: 'invalid-option',
    message: `--signal is ${quote(text)}, and there is no such signal. ${hint}`,
  });
}

import type { CommandSpec } from '../../../config/process-spec.ts';
import { quote } from '../../../config/quote.ts';
import { TroupeError } from '../../../config/troupe-error.ts';
import { parseDuration, parsePattern, parsePort, parseUrl } from '../../flag-values.ts';

type Readiness = NonNullable<CommandSpec['ready']>;
type Kind = Exclude<keyof Readiness, 'within'>;

/**
 * Parses `--ready` and `--ready-within`; `null` without conditions. All conditions must be met.
 *
 * @throws TroupeError `invalid-option`, naming what is wrong.
 */
export function parseReadiness(conditions: readonly string[], within: string | undefined): Readiness | null {
  const ready: Partial<Record<Kind, unknown>> = {};
  for (const text of conditions) {
    const [kind, value] = parseCondition(text);
    if (kind in ready) throw invalid(`--ready has ${kind} twice; give each kind once.`);
    ready[kind] = value;
  }
  if (conditions.length === 0) {
    if (within !== undefined) throw invalid('--ready-within needs --ready.');
    return null;
  }
  return {
    ...(ready as Readiness),
    ...(within !== undefined && { within: parseDuration(within, '--ready-within') }),
  };
}

function parseCondition(text: string): readonly [Kind, unknown] {
  if (/^https?:\/\//.test(text)) return ['http', text];
  const at = text.indexOf(':');
  const [kind, value] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  if (value !== '') {
    if (kind === 'line') return [kind, parsePattern(value)];
    if (kind === 'port') return [kind, parsePort(value, '--ready port')];
    if (kind === 'http') return [kind, parseUrl(value, '--ready http')];
    if (kind === 'file') return [kind, value];
    if (kind === 'alive') return [kind, parseDuration(value, '--ready alive')];
  }
  throw invalid(
    `--ready is ${quote(text)}; expected line:TEXT, line:/EXPRESSION/, port:NUMBER, http:URL, file:PATH or alive:DURATION.`,
  );
}

function invalid(message: string): TroupeError {
  return new TroupeError({ code: 'invalid-option', message });
}

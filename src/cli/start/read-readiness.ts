import type { CommandSpec } from '../../config/process-spec.ts';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { parseDuration, parsePattern } from '../flag-values.ts';

type Readiness = NonNullable<CommandSpec['ready']>;
type Kind = Exclude<keyof Readiness, 'within'>;

/**
 * What `--ready` and `--ready-within` say; `null` where nothing is waited for. All that is given must hold.
 *
 * @throws TroupeError `invalid-option`, naming what is wrong.
 */
export function parseReadiness(conditions: readonly string[], within: string | undefined): Readiness | null {
  const ready: Partial<Record<Kind, unknown>> = {};
  for (const text of conditions) {
    const [kind, value] = readCondition(text);
    if (kind in ready) throw refuse(`--ready has ${kind} twice; a process is ready by one of each kind.`);
    ready[kind] = value;
  }
  if (conditions.length === 0) {
    if (within !== undefined) throw refuse('--ready-within has no --ready that it belongs to.');
    return null;
  }
  return {
    ...(ready as Readiness),
    ...(within !== undefined && { within: parseDuration(within, '--ready-within') }),
  };
}

function readCondition(text: string): readonly [Kind, unknown] {
  if (/^https?:\/\//.test(text)) return ['http', text];
  const at = text.indexOf(':');
  const [kind, value] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  if (value !== '') {
    if (kind === 'line') return [kind, parsePattern(value)];
    if (kind === 'port') return [kind, readPort(value)];
    if (kind === 'http') return [kind, readAddress(value)];
    if (kind === 'file') return [kind, value];
    if (kind === 'alive') return [kind, parseDuration(value, '--ready alive')];
  }
  throw refuse(
    `--ready is ${quote(text)}; expected line:TEXT, line:/EXPRESSION/, port:NUMBER, http:URL, file:PATH or alive:DURATION.`,
  );
}

function readPort(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw refuse(`--ready port is ${quote(text)}; expected a number from 1 to 65535.`);
}

function readAddress(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text;
  throw refuse(`--ready http is ${quote(text)}; expected an address such as http://127.0.0.1:3000/.`);
}

function refuse(message: string): TroupeError {
  return new TroupeError({ code: 'invalid-option', message });
}

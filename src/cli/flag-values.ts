import { constants } from 'node:os';
import type { RestartPolicy } from '../../machines/process/context.ts';
import type { TerminalSize } from '../../machines/process/terminal.ts';
import { toErrorText } from '../config/error-text.ts';
import { nearest } from '../config/nearest.ts';
import { quote } from '../config/quote.ts';
import {
  type EndingSignal,
  isEndingSignal,
  type SignalName,
  toSignalName,
  toSignalNumber,
} from '../config/signal-name.ts';
import { span, toMs } from '../config/span.ts';
import { TroupeError } from '../config/troupe-error.ts';

/** Collects the values of a flag that may be repeated, in order. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/**
 * Returns a duration in milliseconds: a number counts seconds, text has a unit, as in an agent's file.
 *
 * @throws TroupeError `invalid-option`, naming the flag.
 */
export function parseDuration(text: string, flag: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  if (span.safeParse(value).success) return toMs(value);
  throw invalid(`${flag} is ${quote(text)}; expected seconds, or a duration such as 500ms, 30s, 5m.`);
}

/**
 * Returns a TCP port.
 *
 * @throws TroupeError `invalid-option`, naming the flag.
 */
export function parsePort(text: string, flag: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw invalid(`${flag} is ${quote(text)}; expected a number from 1 to 65535.`);
}

/**
 * Returns an HTTP address as it was given.
 *
 * @throws TroupeError `invalid-option`, naming the flag.
 */
export function parseUrl(text: string, flag: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text;
  throw invalid(`${flag} is ${quote(text)}; expected an address such as http://127.0.0.1:3000/.`);
}

/**
 * Returns a limit in milliseconds as `parseDuration`; 0 for `none`, which is no limit.
 *
 * @throws TroupeError `invalid-option`, naming the flag.
 */
export function parseLimit(text: string, flag: string): number {
  return text === 'none' ? 0 : parseDuration(text, flag);
}

/**
 * Returns columns and rows of `120x40`.
 *
 * @throws TroupeError `invalid-option`, naming the flag.
 */
export function parseSize(text: string, flag: string): TerminalSize {
  const [, columns = 0, rows = 0] = (/^(\d{1,4})x(\d{1,4})$/i.exec(text.trim()) ?? []).map(Number);
  if (columns >= 2 && columns <= 1_000 && rows >= 1 && rows <= 1_000) return { columns, rows };
  throw invalid(
    `${flag} is ${quote(text)}; expected columns and rows such as 120x40, 2 to 1000 columns and 1 to 1000 rows.`,
  );
}

/**
 * Returns the pattern of `/expression/flags`; any other text matches itself.
 *
 * @throws TroupeError `invalid-option`
 */
export function parsePattern(text: string): string | RegExp {
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(text) ?? [];
  if (source === undefined) return text;
  try {
    return new RegExp(source, flags);
  } catch (error) {
    throw invalid(`${quote(text)} is not a regular expression: ${toErrorText(error)}.`, error);
  }
}

/**
 * Returns a signal as kill(1) reads it: `TERM`, `SIGTERM`, `term`, `15` or `RTMIN+1`.
 *
 * @throws TroupeError `invalid-option`, naming what the text was given for.
 */
export function parseSignal(text: string, what: string): SignalName {
  const byNumber = /^\d+$/.test(text) ? toSignalName(Number(text)) : null;
  const name = byNumber ?? (`SIG${text.toUpperCase().replace(/^SIG/, '')}` as SignalName);
  if (toSignalNumber(name) !== null) return name;
  const meant = nearest(name, Object.keys(constants.signals));
  const hint = meant === null ? 'kill -l lists them.' : `Did you mean ${meant}?`;
  throw invalid(`${what} is ${quote(text)}, and there is no such signal. ${hint}`);
}

/**
 * Returns a signal that ends a program, as `parseSignal`.
 *
 * @throws TroupeError `invalid-option`, naming the flag, and the verb for other signals.
 */
export function parseEndingSignal(text: string, flag: string): EndingSignal {
  const name = parseSignal(text, flag);
  if (isEndingSignal(name)) return name;
  const other = name.slice('SIG'.length);
  throw invalid(
    `${flag} is ${quote(text)}; a kill begins with a signal that ends a program, such as TERM, INT or HUP. To send ${other} without ending the process: troupe signal <id> ${other}.`,
  );
}

function invalid(message: string, cause?: unknown): TroupeError {
  return new TroupeError({ code: 'invalid-option', message, ...(cause !== undefined && { cause }) });
}

/** The restart policies under the names that container tools use, and under their own. */
export const restartPolicies = {
  never: 'temporary',
  no: 'temporary',
  'on-failure': 'transient',
  always: 'permanent',
  temporary: 'temporary',
  transient: 'transient',
  permanent: 'permanent',
} as const satisfies Record<string, RestartPolicy>;

export const restartWords = Object.keys(restartPolicies) as (keyof typeof restartPolicies)[];

/** @throws TroupeError `invalid-option` */
export function parseRestart(text: string, flag: string): RestartPolicy {
  if (Object.hasOwn(restartPolicies, text)) return restartPolicies[text as keyof typeof restartPolicies];
  const meant = nearest(text, restartWords);
  const hint = meant === null ? '' : ` Did you mean ${meant}?`;
  throw invalid(`${flag} is ${quote(text)}; expected never, on-failure or always.${hint}`);
}

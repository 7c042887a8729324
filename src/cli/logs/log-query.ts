import { duration } from '../../config/duration.ts';
import { toErrorText } from '../../config/error-text.ts';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { StateFlags } from '../verb.ts';

/** The flags of `troupe logs` as they stand on the command line. */
export interface LogFlags extends StateFlags {
  readonly follow?: boolean;
  readonly tail?: string;
  readonly stream?: 'stdout' | 'stderr' | 'screen';
  readonly grep?: string;
  readonly ignoreCase?: boolean;
  readonly since?: string;
  readonly until?: string;
  readonly timestamps?: boolean;
  readonly raw?: boolean;
}

/** What is to be printed, read from the flags. */
export interface LogQuery {
  readonly follows: boolean;
  /** So many lines at the end; `null`: all. */
  readonly tail: number | null;
  readonly since: LogPosition;
  /** `null`: all that is there, and with `follows` what comes. */
  readonly until: LogPosition | null;
  /** Before each line stands when it came. */
  readonly showsTimes: boolean;
  /** `null`: all streams. */
  readonly stream: 'stdout' | 'stderr' | 'screen' | null;
  readonly pattern: RegExp | null;
}

const TAIL = 50;

/** @throws TroupeError `invalid-option` */
export function parseLogFlags(
  { follow, tail, since, until, timestamps, stream, grep, ignoreCase }: LogFlags,
  nowAt: number,
): LogQuery {
  if (follow === true && until !== undefined)
    throw invalid('--until and --follow were both given: what is followed has no end yet.');
  const isPart = since !== undefined || until !== undefined;
  const lines = tail === undefined ? (isPart ? null : TAIL) : parseTail(tail);
  // The last lines before a place are found by looking at all of them.
  const everyLine = until !== undefined && lines !== null ? /(?:)/u : null;
  return {
    follows: follow === true,
    tail: lines,
    since: since === undefined ? beginning : parsePosition(since, { option: '--since', nowAt }),
    until: until === undefined ? null : parsePosition(until, { option: '--until', nowAt }),
    showsTimes: timestamps === true,
    stream: stream ?? null,
    pattern: grep === undefined ? everyLine : parsePattern(grep, ignoreCase === true ? 'iu' : 'u'),
  };
}

const beginning: LogPosition = { type: 'offset', offset: 0 };

function parseTail(text: string): number | null {
  if (text === 'all') return null;
  if (/^\d+$/.test(text)) return Number(text);
  throw invalid(`--tail is ${quote(text)}; expected a number of lines, or "all".`);
}

function parsePattern(text: string, flags: string): RegExp {
  try {
    return new RegExp(text, flags);
  } catch (error) {
    throw invalid(`--grep is ${quote(text)}, which is no regular expression: ${toErrorText(error)}.`);
  }
}

function invalid(message: string): TroupeError {
  return new TroupeError({ code: 'invalid-option', message });
}

/** A place in a log: an offset in bytes of all streams, or a time in milliseconds since the epoch. */
export type LogPosition =
  | { readonly type: 'offset'; readonly offset: number }
  | { readonly type: 'time'; readonly at: number };

const clockTime = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/;
const isoTime = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * Reads the value of `--since` or `--until`. A time without a zone is local, and one without a date was today or, if that is still to come,
 * yesterday.
 *
 * @throws TroupeError `invalid-option`
 */
export function parsePosition(
  text: string,
  { option, nowAt }: { readonly option: string; readonly nowAt: number },
): LogPosition {
  if (/^\d+$/.test(text)) return { type: 'offset', offset: Number(text) };
  const at = toAge(text, nowAt) ?? toClockTime(text, nowAt) ?? toIsoTime(text);
  if (at !== null) return { type: 'time', at };
  throw new TroupeError({
    code: 'invalid-option',
    message: `${option} is ${quote(text)}; expected how long ago ("10m"), a time ("14:30", "2026-01-31T14:30"), or an offset in bytes as --json tells them.`,
  });
}

function toAge(text: string, nowAt: number): number | null {
  const age = duration.safeParse(text);
  return age.success ? nowAt - age.data : null;
}

function toClockTime(text: string, nowAt: number): number | null {
  const [, hours, minutes, seconds = '0'] = clockTime.exec(text) ?? [];
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null;
  const time = new Date(nowAt);
  time.setHours(Number(hours), Number(minutes), Number(seconds), 0);
  if (time.getTime() > nowAt) time.setDate(time.getDate() - 1);
  return time.getTime();
}

/** What has a date alone would be midnight in UTC to `Date`. */
function toIsoTime(text: string): number | null {
  if (!isoTime.test(text)) return null;
  const at = Date.parse(text.length === 10 ? `${text}T00:00` : text);
  return Number.isNaN(at) ? null : at;
}

import type { Command } from '@commander-js/extra-typings';
import { duration } from '../../../config/duration.ts';
import { toErrorText } from '../../../config/error-text.ts';
import { quote } from '../../../config/quote.ts';
import { TroupeError } from '../../../config/troupe-error.ts';
import { addStateFlags, type FlagsOf, idHelp } from '../../verb.ts';

/** Adds the flags of `troupe logs`. */
export const addFlags = (command: Command) =>
  addStateFlags(
    command
      .argument('<id...>', idHelp)
      .option('-f, --follow', 'continue until the process has ended')
      .option('-n, --tail <lines>', 'only this many lines at the end, or "all" (50)')
      .addOption(
        command
          .createOption('--stream <stream>', 'only one of its streams')
          .choices(['stdout', 'stderr', 'screen']),
      )
      .option('--grep <pattern>', 'only lines that match this regular expression')
      .option('-i, --ignore-case', 'ignore case in --grep')
      .option('--since <when>', 'begin there: 10m (ago), 14:30, an ISO time, or an offset printed by --json')
      .option('--until <when>', 'end there')
      .option('-t, --timestamps', 'print the time before each line, and merge several logs by it')
      .option('--raw', 'print escape sequences at a terminal, too'),
    { json: 'print {"offset", "stream", "at", "latestAt", "text" or "base64"}, one per line' },
  );

export type LogFlags = FlagsOf<typeof addFlags>;

/** Selection and format of the output, parsed from the flags. */
export interface LogQuery {
  readonly follows: boolean;
  /** Number of lines at the end; `null`: all. */
  readonly tail: number | null;
  readonly since: LogPosition;
  /** `null`: up to the end, and beyond with `follows`. */
  readonly until: LogPosition | null;
  /** Prints the time before each line. */
  readonly showsTimes: boolean;
  /** `null`: all streams. */
  readonly stream: 'stdout' | 'stderr' | 'screen' | null;
  readonly pattern: RegExp | null;
}

const DEFAULT_TAIL = 50;

/** Parses the flags. @throws TroupeError `invalid-option` */
export function parseLogFlags(
  { follow, tail, since, until, timestamps, stream, grep, ignoreCase }: LogFlags,
  nowAt: number,
): LogQuery {
  if (follow === true && until !== undefined)
    throw invalid('--until cannot be combined with --follow, which has no end yet.');
  const isPart = since !== undefined || until !== undefined;
  const lines = tail === undefined ? (isPart ? null : DEFAULT_TAIL) : parseTail(tail);
  // The last lines before a position are found by reading all of them.
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
    throw invalid(`--grep is ${quote(text)}, which is not a regular expression: ${toErrorText(error)}.`);
  }
}

function invalid(message: string): TroupeError {
  return new TroupeError({ code: 'invalid-option', message });
}

/** Position in a log: an offset in bytes of all streams, or a time in milliseconds since the epoch. */
export type LogPosition =
  | { readonly type: 'offset'; readonly offset: number }
  | { readonly type: 'time'; readonly at: number };

const clockTime = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/;
const isoTime = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * Parses the value of `--since` or `--until`. A time without a zone is local; one without a date is the latest such time in the past.
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
    message: `${option} is ${quote(text)}; expected how long ago ("10m"), a time ("14:30", "2026-01-31T14:30"), or an offset in bytes as --json prints it.`,
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

/** Parses a date alone as local midnight, where `Date` would take UTC. */
function toIsoTime(text: string): number | null {
  if (!isoTime.test(text)) return null;
  const at = Date.parse(text.length === 10 ? `${text}T00:00` : text);
  return Number.isNaN(at) ? null : at;
}

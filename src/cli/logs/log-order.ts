import { toErrorText } from '../../config/error-text.ts';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { LogFlags } from './log-flags.ts';
import { type LogMoment, parseMoment } from './log-moment.ts';

/** What is to be printed, read from the flags. */
export interface LogOrder {
  readonly follows: boolean;
  /** So many lines at the end; `null`: all. */
  readonly tail: number | null;
  readonly since: LogMoment;
  /** `null`: all that is there, and with `follows` what comes. */
  readonly until: LogMoment | null;
  /** Before each line stands when it came. */
  readonly showsTimes: boolean;
  /** `null`: all streams. */
  readonly stream: 'stdout' | 'stderr' | 'screen' | null;
  readonly pattern: RegExp | null;
}

const TAIL = 50;

/** @throws TroupeError `invalid-option` */
export function toLogOrder(
  { follow, tail, since, until, timestamps, stream, grep, ignoreCase }: LogFlags,
  nowAt: number,
): LogOrder {
  if (follow === true && until !== undefined)
    throw invalid('--until and --follow were both given: what is followed has no end yet.');
  const isPart = since !== undefined || until !== undefined;
  const lines = tail === undefined ? (isPart ? null : TAIL) : parseTail(tail);
  // The last lines before a place are found by looking at all of them.
  const everyLine = until !== undefined && lines !== null ? /(?:)/u : null;
  return {
    follows: follow === true,
    tail: lines,
    since: since === undefined ? beginning : parseMoment(since, { option: '--since', nowAt }),
    until: until === undefined ? null : parseMoment(until, { option: '--until', nowAt }),
    showsTimes: timestamps === true,
    stream: stream ?? null,
    pattern: grep === undefined ? everyLine : parsePattern(grep, ignoreCase === true ? 'iu' : 'u'),
  };
}

const beginning: LogMoment = { type: 'offset', offset: 0 };

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

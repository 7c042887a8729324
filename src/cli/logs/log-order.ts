import { toErrorText } from '../../config/error-text.ts';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { LogFlags } from './log-flags.ts';

/** What is to be printed, read from the flags. */
export interface LogOrder {
  readonly follows: boolean;
  /** So many lines at the end; `null`: all. */
  readonly tail: number | null;
  /** Where to begin, in bytes of all streams; 0 is the beginning. */
  readonly since: number;
  /** `null`: all streams. */
  readonly stream: 'stdout' | 'stderr' | 'screen' | null;
  readonly pattern: RegExp | null;
}

const TAIL = 50;

/** @throws TroupeError `invalid-option` */
export function toLogOrder({ follow, tail, since, stream, grep, ignoreCase }: LogFlags): LogOrder {
  return {
    follows: follow === true,
    tail: tail === undefined ? (since === undefined ? TAIL : null) : parseTail(tail),
    since: since === undefined ? 0 : parseOffset(since),
    stream: stream ?? null,
    pattern: grep === undefined ? null : parsePattern(grep, ignoreCase === true ? 'iu' : 'u'),
  };
}

function parseTail(text: string): number | null {
  if (text === 'all') return null;
  if (/^\d+$/.test(text)) return Number(text);
  throw invalid(`--tail is ${quote(text)}; expected a number of lines, or "all".`);
}

function parseOffset(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw invalid(
    `--since is ${quote(text)}; expected an offset in bytes, as --json tells them. Logs keep no times, so it cannot be one.`,
  );
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

import { duration } from '../../config/duration.ts';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';

/** A place in a log: an offset in bytes of all streams, or a time in milliseconds since the epoch. */
export type LogMoment =
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
export function parseMoment(
  text: string,
  { option, nowAt }: { readonly option: string; readonly nowAt: number },
): LogMoment {
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

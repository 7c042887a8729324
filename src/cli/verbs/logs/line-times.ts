import { findBounds, type OutputTimes, type TimeBounds } from '../../../output/output-times.ts';
import type { StateDirectory } from '../../../state-directory/state-directory.ts';

/** Finds the time of arrival of bytes in a log. */
export interface LineTimes {
  at(offset: number): Promise<TimeBounds>;
}

/** New output gets a mark within this time. */
const freshMs = 1_500;
const shortestPauseMs = 250;

/** Creates the times of a log, which are read again as new output arrives. */
export function createLineTimes({
  known: first,
  to,
  read,
}: {
  readonly known: OutputTimes;
  /** Bytes after this offset arrive after now. */
  readonly to: number;
  /** `null`: the log is not followed. */
  readonly read: (() => Promise<OutputTimes>) | null;
}): LineTimes {
  const beganAt = Date.now();
  let known = first;
  let readAt = beganAt;

  async function refresh(offset: number): Promise<void> {
    const last = known.marks.at(-1);
    const isBehind = last === undefined || (offset >= last.offset && Date.now() - last.until > freshMs);
    if (read === null || !isBehind || Date.now() - readAt < shortestPauseMs) return;
    known = await read();
    readAt = Date.now();
  }

  return {
    at: async (offset) => {
      if (offset < to) return findBounds(known, offset);
      await refresh(offset);
      const { earliest, latest } = findBounds(known, offset);
      const after = Math.max(earliest ?? beganAt, beganAt);
      return { earliest: after, latest: Math.max(latest ?? after, after) };
    },
  };
}

/** Reads the times; none from a supervisor of an older version. */
export async function readTimes(state: StateDirectory, id: string): Promise<OutputTimes> {
  try {
    return await state.times(id);
  } catch (error) {
    if ((error as { code?: unknown }).code === 'protocol') return { marks: [], lastAt: null };
    throw error;
  }
}

/** Closer bounds are printed as one time. */
const closeMs = 10_000;
const isoLength = 25;

/** Returns the local time in ISO 8601, an interval if the bounds are far apart, or `-` if unknown. */
export function toTimestamp({ earliest, latest }: TimeBounds): string {
  if (earliest === null) return '-'.padEnd(isoLength);
  const from = toLocalIso(earliest);
  return latest !== null && latest - earliest > closeMs ? `${from}/${toLocalIso(latest)}` : from;
}

function toLocalIso(at: number): string {
  const offset = -new Date(at).getTimezoneOffset();
  const local = new Date(at + offset * 60_000).toISOString().slice(0, 19);
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${local}${offset < 0 ? '-' : '+'}${toTwoDigits(hours)}:${toTwoDigits(minutes)}`;
}

function toTwoDigits(number: number): string {
  return `${number}`.padStart(2, '0');
}

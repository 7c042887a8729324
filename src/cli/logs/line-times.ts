import { findBounds, type OutputTimes, type TimeBounds } from '../../output/log-times.ts';
import type { StateDirectory } from '../../state-directory/state-directory.ts';

/** Finds when the bytes of a log came. */
export interface LineTimes {
  at(offset: number): Promise<TimeBounds>;
}

/** New output makes a mark after so long. */
const freshMs = 1_500;
const shortestPauseMs = 250;

/** For what is followed, the times are read again as output comes. */
export function createLineTimes({
  known: first,
  to,
  read,
}: {
  readonly known: OutputTimes;
  /** What stands behind it came after now. */
  readonly to: number;
  /** `null`: nothing is followed. */
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

/** No marks where its supervisor is of an older version, which keeps none. */
export async function readTimes(state: StateDirectory, id: string): Promise<OutputTimes> {
  try {
    return await state.times(id);
  } catch (error) {
    if ((error as { code?: unknown }).code === 'protocol') return { marks: [], lastAt: null };
    throw error;
  }
}

/** Bounds that are closer say one time. */
const closeMs = 10_000;
const isoLength = 25;

/** Local, as ISO 8601 has it; both bounds, as an interval, where they are far apart; `-` where nothing is known. */
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

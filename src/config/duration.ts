import { z } from 'zod';

const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const TEXT = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/** A span of time: milliseconds as a number, or text with a unit: `'250ms'`, `'30s'`, `'5m'`, `'2h'`, `'7d'`. */
export type Duration = number | string;

const EXPECTED = 'a duration: milliseconds from 0, or text such as "250ms", "30s", "5m"';

/** Accepts a `Duration` and yields milliseconds. */
export const duration = z
  .union([z.number(), z.string()], { error: () => EXPECTED })
  .transform((value, context) => {
    const ms = toMs(value);
    if (ms !== null) return ms;
    context.addIssue({ code: 'custom', message: EXPECTED });
    return z.NEVER;
  });

function toMs(value: Duration): number | null {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : null;
  const [, amount, unit] = TEXT.exec(value.trim()) ?? [];
  if (amount === undefined || unit === undefined) return null;
  return Number(amount) * UNITS_MS[unit as keyof typeof UNITS_MS];
}

/** A span of time for people: `250 ms`, `3.2s`, `4m 05s`, `2h 10m`. */
export function formatDuration(ms: number): string {
  if (Math.round(ms) < 1_000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 100) / 10;
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${String(Math.floor(seconds % 60)).padStart(2, '0')}s`;
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, '0')}m`;
}

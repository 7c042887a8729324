/**
 * How long an endpoint wants us to wait, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date (RFC 9110,
 * section 10.2.3). `null` where it says nothing that can be read.
 */
export function readRetryAfter(header: (name: string) => string | null | undefined): number | null {
  const ms = toAmount(header('retry-after-ms'));
  if (ms !== null) return ms;
  const value = header('retry-after');
  const seconds = toAmount(value);
  if (seconds !== null) return seconds * 1_000;
  const atMs = Date.parse(value ?? '');
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - Date.now());
}

function toAmount(value: string | null | undefined): number | null {
  const text = value?.trim() ?? '';
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : null;
}

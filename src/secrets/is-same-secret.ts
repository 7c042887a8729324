import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares two secrets in constant time, by their digests, which have equal lengths. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

import type { ProcessHandle } from '../../process/process-handle.ts';

const MAX_LINE_BYTES = 500;

/** Where it is looked for first: a search through everything takes long. */
const NEAR_BYTES = 64 * 1024;

/**
 * The newest line with the text or the expression; `null` where none is kept. It is read again and not remembered by the search,
 * because a read hides secrets that only show once control characters are gone.
 */
export function findMatchedLine(
  handle: ProcessHandle,
  { text, pattern }: { text?: string | undefined; pattern?: string | undefined },
): string | null {
  const grep = pattern ?? text?.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  if (grep === undefined) return null;
  const { stdout, stderr, screen } = handle.read({ tail: 0 }).positions;
  const near = { stdout: toNear(stdout), stderr: toNear(stderr), screen: toNear(screen) };
  for (const since of [near, 0]) {
    const line = handle.read({ since, grep, tail: 1, maxBytes: MAX_LINE_BYTES }).text;
    if (line !== '') return line.trimEnd();
  }
  return null;
}

function toNear(position: number): number {
  return Math.max(0, position - NEAR_BYTES);
}

import type { ProcessHandle } from '../../process/process-handle.ts';

/** In words what is wrong with an expression, before anybody waits for it. */
export function findPatternProblem(handle: ProcessHandle, pattern: string): string | null {
  return handle.read({ since: handle.read({ tail: 0 }).positions, grep: pattern }).problem;
}

import { setTimeout as pass } from 'node:timers/promises';

/** What is reachable, on the heap and beside it, once everything on the way has arrived. */
export async function settledBytes(): Promise<number> {
  for (let round = 0; round < 5; round += 1) {
    await pass(50);
    globalThis.gc?.();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

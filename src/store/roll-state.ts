import type { TableScope } from '../spawn/tree/process-table.ts';
import { isRunning } from './program.ts';
import type { RollEntry, RollState } from './supervisor-roll.ts';

/**
 * What can be proven of the program that wrote an entry, seen from where `here` is. What cannot be told is `elsewhere`. Without a
 * time of birth (macOS) a program that got the pid later is taken for it, and is left alone as well.
 */
export function toRollState(entry: RollEntry, here: TableScope): RollState {
  if (entry.bootId !== here.bootId) {
    return entry.bootId === null || here.bootId === null ? 'elsewhere' : 'dead';
  }
  if (entry.pidNamespace !== here.pidNamespace) return 'elsewhere';
  try {
    return isRunning(entry) ? 'alive' : 'dead';
  } catch {
    return 'elsewhere';
  }
}

import type { Clock } from '../../clock/clock.ts';

export function pause(forMs: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    clock.at(clock.nowMs() + forMs, resolve);
  });
}

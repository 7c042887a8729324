import { threadCpuMs } from '../../../src/output/grep.ts';

/** Measures in processor time how long other work had to wait for this thread. `end` returns percentiles. */
export function watchDelays(everyMs: number): { end(): { percentile(percent: number): number } } {
  const delaysMs: number[] = [];
  let lastMs = threadCpuMs();
  const timer = setInterval(() => {
    const nowMs = threadCpuMs();
    delaysMs.push(nowMs - lastMs);
    lastMs = nowMs;
  }, everyMs);
  return {
    end: () => {
      clearInterval(timer);
      const sorted = delaysMs.toSorted((a, b) => a - b);
      const percentile = (percent: number) =>
        sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? Number.NaN;
      return { percentile };
    },
  };
}

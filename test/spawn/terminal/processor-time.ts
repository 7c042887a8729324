/** What this thread has had of a processor. Unlike the clock it stands still while other programs have them all. */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Watches, in processor time, for how long others had to wait for this thread. `end` tells it by percentiles. */
export function watchDelays(everyMs: number): { end(): { percentile(percent: number): number } } {
  const delaysMs: number[] = [];
  let lastMs = processorMs();
  const timer = setInterval(() => {
    const nowMs = processorMs();
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

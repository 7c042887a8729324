/** One way to do the work. */
export interface Contender {
  readonly name: string;
  /** Does it once and says what that cost, in whatever unit. */
  run(): Promise<number> | number;
}

/** What the rounds found of one contender. */
export interface Finding {
  readonly name: string;
  readonly median: number;
  /** The middle half of all rounds lies between these. */
  readonly quartiles: readonly [number, number];
  /** To the first contender: the median of the ratios of each round, so that a slow minute hits both alike. */
  readonly ratio: number;
}

/** Lets the contenders take turns, A B C A B C: what else happens on the machine hits all of them alike. */
export async function alternate(
  contenders: readonly Contender[],
  { rounds, warmUps = 1 }: { rounds: number; warmUps?: number },
): Promise<readonly Finding[]> {
  const costs = contenders.map((): number[] => []);
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const [index, contender] of contenders.entries()) {
      const cost = await contender.run();
      if (round >= 0) costs[index]?.push(cost);
    }
  }
  const reference = costs[0] ?? [];
  return contenders.map(({ name }, index) => {
    const own = costs[index] ?? [];
    const ratios = own.map((cost, round) => cost / (reference[round] ?? Number.NaN));
    return {
      name,
      median: quantile(own, 0.5),
      quartiles: [quantile(own, 0.25), quantile(own, 0.75)],
      ratio: quantile(ratios, 0.5),
    };
  });
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Milliseconds that `work` takes. */
export async function timeMs(work: () => Promise<unknown> | unknown): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** `3.1 (2.9–3.4)`: the median and the middle half. */
export function formatSpread({ median, quartiles: [low, high] }: Finding): string {
  return `${formatNumber(median)} (${formatNumber(low)}–${formatNumber(high)})`;
}

export function formatNumber(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toFixed(digits);
}

/** The finding of that name; a misspelt one is a mistake in the file that asks. */
export function find(findings: readonly Finding[], name: string): Finding {
  const found = findings.find((finding) => finding.name === name);
  if (found === undefined) throw new Error(`There is no contender "${name}".`);
  return found;
}

import type { ChartCoverage, Walked } from '../../src/testing/paths/chart-coverage.ts';

/** Transitions known not to be walked, with the reason, by state or transition. */
export type Exclusions = Readonly<Record<string, string>>;

/** Formats coverage for the output of a test. */
export function toCoverageTable(
  title: string,
  { coverage, paths, excluded = {} }: { coverage: ChartCoverage; paths: number; excluded?: Exclusions },
): string {
  const { states, transitions } = coverage;
  const exceptions = Object.entries(excluded).map(([id, why]) => `  not walked: ${id} (${why})`);
  return [
    `${title}: ${paths} paths, states ${toShare(states)}, transitions ${toShare(transitions)}`,
    ...exceptions,
  ].join('\n');
}

/** Returns ids that should have been walked and were not, and those excluded without need. */
export function findGaps(
  { states, transitions }: ChartCoverage,
  excluded: Exclusions = {},
): readonly string[] {
  const missing = [...states.missing, ...transitions.missing];
  return [
    ...missing.filter((id) => !(id in excluded)),
    ...Object.keys(excluded).filter((id) => !missing.includes(id)),
  ];
}

function toShare({ walked, all }: Walked): string {
  return `${walked.size}/${all.length}`;
}

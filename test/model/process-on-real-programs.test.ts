import { expect, test } from 'vitest';
import { processMachine } from '../../machines/process/machine.ts';
import { createChartCoverage } from '../../src/testing/paths/chart-coverage.ts';
import { coveringPaths } from '../../src/testing/paths/covering-paths.ts';
import { findGaps, toCoverageTable } from './coverage-table.ts';
import { isRealistic, type ProcessWay, processModel, processWays } from './process-model.ts';
import { unreal } from './unreal.ts';
import { walkProcess } from './walk-process.ts';

const policies = ['temporary', 'transient', 'permanent'] as const;
const ways = processWays().filter(({ path }) => isRealistic(path));
const coverage = createChartCoverage(processMachine);
let walkedCount = 0;

test.for(policies)(
  'a %s program takes every transition a real one can',
  { timeout: 120_000 },
  async (policy) => {
    const chosen = coveringPaths<typeof processModel, ProcessWay>(
      processModel,
      ways.filter(({ input }) => input.restart.policy === policy),
    );

    const mismatches: string[] = [];
    for (const way of chosen) {
      const mismatch = await walkProcess({ ...way, on: 'real programs', inspect: coverage.inspect });
      if (mismatch !== null) mismatches.push(mismatch);
    }

    walkedCount += chosen.length;
    expect(mismatches.slice(0, 5).join('\n\n')).toBe('');
  },
);

test('real programs take every transition of the chart', () => {
  console.log(
    toCoverageTable('process on real programs', { coverage, paths: walkedCount, excluded: unreal }),
  );

  expect(findGaps(coverage, unreal)).toEqual([]);
});

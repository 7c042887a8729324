import { expect, test } from 'vitest';
import { processMachine } from '../../machines/process/machine.ts';
import { createChartCoverage } from '../../src/testing/paths/chart-coverage.ts';
import { findGaps, toCoverageTable } from './coverage-table.ts';
import { processWays } from './process-model.ts';
import { walkProcess } from './walk-process.ts';

test('a scripted process takes every transition of its chart', { timeout: 240_000 }, async () => {
  const coverage = createChartCoverage(processMachine);
  const ways = processWays();

  const mismatches: string[] = [];
  for (const way of ways) {
    const mismatch = await walkProcess({ ...way, on: 'scripts', inspect: coverage.inspect });
    if (mismatch !== null) mismatches.push(mismatch);
  }

  console.log(toCoverageTable('process on scripts', { coverage, paths: ways.length, excluded: {} }));
  expect(mismatches.slice(0, 5).join('\n\n')).toBe('');
  expect(findGaps(coverage, {})).toEqual([]);
});

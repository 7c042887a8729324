import { expect, test } from 'vitest';
import { supervisorMachine } from '../../machines/supervisor/machine.ts';
import { createChartCoverage } from '../../src/testing/paths/chart-coverage.ts';
import { findGaps, toCoverageTable } from './coverage-table.ts';
import { supervisorPaths } from './supervisor-model.ts';
import { walkSupervisor } from './walk-supervisor.ts';

test('a supervisor takes every transition of its chart', { timeout: 60_000 }, async () => {
  const coverage = createChartCoverage(supervisorMachine);
  const paths = supervisorPaths();

  const mismatches: string[] = [];
  for (const path of paths) {
    const mismatch = await walkSupervisor({ path, inspect: coverage.inspect });
    if (mismatch !== null) mismatches.push(mismatch);
  }

  console.log(toCoverageTable('supervisor on scripts', { coverage, paths: paths.length }));
  expect(mismatches.slice(0, 5).join('\n\n')).toBe('');
  expect(findGaps(coverage)).toEqual([]);
});

import { expect, test } from 'vitest';
import { watchMachine } from '../../machines/watch/machine.ts';
import { createChartCoverage } from '../../src/testing/paths/chart-coverage.ts';
import { transitionsTaken } from '../../src/testing/paths/covering-paths.ts';
import { findGaps, toCoverageTable } from './coverage-table.ts';
import { withoutTransition } from './mutate-chart.ts';
import { walkWatch } from './walk-watch.ts';
import { watchModel, watchWays } from './watch-model.ts';

/** States that are left in the step that enters them. */
const unseen = { 'watch.watching.begun': 'a watch is never observed in this state' };

test('a watch takes every transition of its chart', { timeout: 60_000 }, async () => {
  const coverage = createChartCoverage(watchMachine);
  const ways = watchWays();

  const mismatches: string[] = [];
  for (const way of ways) {
    const mismatch = await walkWatch({ ...way, inspect: coverage.inspect });
    if (mismatch !== null) mismatches.push(mismatch);
  }

  console.log(toCoverageTable('watches on scripts', { coverage, paths: ways.length, excluded: unseen }));
  expect(mismatches.slice(0, 5).join('\n\n')).toBe('');
  expect(findGaps(coverage, unseen)).toEqual([]);
});

test('a watch without any one transition is detected', { timeout: 60_000 }, async () => {
  const ways = watchWays().toSorted((a, b) => a.path.length - b.path.length);
  const { all } = createChartCoverage(watchMachine).transitions;

  const unnoticed: string[] = [];
  for (const id of all) {
    const model = withoutTransition(watchModel, id);
    const likely = ways.filter((way) => transitionsTaken(watchModel, way).some((taken) => taken.id === id));
    let isFound = false;
    for (const way of likely) isFound ||= (await walkWatch({ ...way, model })) !== null;
    if (!isFound) unnoticed.push(id);
  }

  expect(unnoticed).toEqual([]);
});

import { defineConfig } from 'vitest/config';

/** Where a machine-readable report of the run is written, when somebody asks for one. */
const report = process.env['TROUPE_TEST_REPORT'];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global-teardown.ts'],
    // Most of them wait for processes: two at a time keep two cores busy, one does not.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
});

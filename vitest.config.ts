import { defineConfig } from 'vitest/config';

/** Where a machine-readable report of the run is written, when somebody asks for one. */
const report = process.env['TROUPE_TEST_REPORT'];

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global-teardown.ts'],
    // Most of them wait for processes: three at a time keep two cores busy, two do not.
    maxWorkers: 3,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
});

import { defineConfig } from 'vitest/config';

/** Path of a machine-readable report of the run; without it only the terminal gets one. */
const report = process.env['TROUPE_TEST_REPORT'];

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.{ts,tsx}'],
    globalSetup: ['../global-teardown.ts'],
    maxWorkers: 2,
    // Bundlers, browsers and other runtimes take long to start, and longer beside each other.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
});

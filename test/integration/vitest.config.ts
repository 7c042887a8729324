import { defineConfig } from 'vitest/config';
import { servers } from '../../vitest.config.ts';

/** Path of a machine-readable report of the run; without it only the terminal gets one. */
const report = process.env['TROUPE_TEST_REPORT'];

export default defineConfig({
  test: {
    root: import.meta.dirname,
    globalSetup: ['../global-teardown.ts', '../bundle-programs.ts'],
    maxWorkers: 2,
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    projects: [
      {
        test: {
          name: 'packages',
          include: ['**/*.test.{ts,tsx}'],
          // Bundlers, browsers and other runtimes take long to start, and longer beside each other.
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      servers,
    ],
  },
});

import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';

/** Where a machine-readable report of the run is written, when somebody asks for one. */
const report = process.env['TROUPE_TEST_REPORT'];

/** Folders whose tests start few programs or none: there most of the time would go into loading the same modules again for each file. */
const inProcess = [
  'agents',
  'clock',
  'config',
  'conversation',
  'groups',
  'house',
  'input-detection',
  'models',
  'observe',
  'output',
  'policy',
  'process',
  'readiness',
  'schedules',
  'store',
  'supervisor',
  'testing',
  'tools',
  'watches',
].map((folder) => `test/${folder}/**/*.test.ts`);

const shared = {
  setupFiles: ['test/share-compile-cache.ts'],
  // For what hangs: a machine with other work may stop any of them for seconds.
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

export default defineConfig({
  test: {
    globalSetup: ['test/global-teardown.ts'],
    // Most of them wait for processes: three at a time keep two cores busy, two do not.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    projects: [
      { test: { ...shared, name: 'programs', include: ['test/**/*.test.ts'], exclude: inProcess } },
      { test: { ...shared, name: 'in process', include: inProcess, isolate: false } },
    ],
  },
});

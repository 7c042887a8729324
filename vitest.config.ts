import { defineConfig } from 'vitest/config';
import { lazySchemas } from './src/packing/lazy-schemas.ts';
import { LongestFirst } from './test/longest-first.ts';

/** Where a machine-readable report of the run is written, when somebody asks for one. */
const report = process.env['TROUPE_TEST_REPORT'];

/** Folders whose tests need no program of their own: there most of the time would go into loading the same modules again for each file. */
const inProcess = [
  'agents',
  'clock',
  'config',
  'control',
  'conversation',
  'groups',
  'house',
  'input-detection',
  'mailbox',
  'mcp',
  'models',
  'observe',
  'output',
  'packing',
  'policy',
  'process',
  'readiness',
  'schedules',
  'secrets',
  'state-directory',
  'store',
  'supervisor',
  'testing',
  'tools',
  'watches',
  'xstate',
].map((folder) => `test/${folder}/**/*.test.ts`);

/** Their tests start the command line program, hundreds of times. */
const commandLine = ['test/cli/**/*.test.ts'];

/** These files get a worker each: they replace modules and globals, or need a large heap, which slows each fork from the worker. */
const ownWorker = ['docs', 'inspector/page', 'model', 'remote', 'scenarios', 'soak'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

/** These tests start NATS servers. `npm run test:integration` runs them, `npm test` does not. */
const withServers = [
  'cli/doctor-remote',
  'cli/worker',
  'conformance/remote',
  'docs/remote',
  'remote/cut-output',
  'remote/drills',
  'remote/end-to-end',
  'remote/nats-servers',
  'remote/permissions',
].map((name) => `test/${name}.test.ts`);

const shared = {
  // Each program that a test starts is forked from a worker, which costs more the larger its heap is.
  execArgv: ['--max-semi-space-size=4'],
  setupFiles: ['test/share-compile-cache.ts', 'test/small-host.ts'],
  // For what hangs: a machine with other work may stop any of them for seconds, and a test may start several programs.
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

interface ProjectOptions {
  /** Gives each file a new worker; otherwise the files of a worker share their modules. */
  readonly isolate: boolean;
  readonly exclude?: readonly string[];
}

function project(name: string, include: string[], { isolate, exclude = withServers }: ProjectOptions) {
  return {
    plugins: [lazySchemas],
    root: import.meta.dirname,
    test: { ...shared, name, include, isolate, exclude: [...exclude] },
  };
}

/** Project of the integration tests that run from the sources. */
export const servers = project('servers', withServers, { isolate: true, exclude: [] });

export default defineConfig({
  test: {
    globalSetup: ['test/global-teardown.ts', 'test/bundle-programs.ts'],
    // Most of them wait for processes: three at a time keep two cores busy, two do not.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
    projects: [
      project('own worker', ownWorker, { isolate: true }),
      project('programs', ['test/**/*.test.ts'], {
        isolate: false,
        exclude: [...inProcess, ...commandLine, ...ownWorker, ...withServers, 'test/integration/**'],
      }),
      project('command line', commandLine, { isolate: false }),
      project('in process', inProcess, { isolate: false }),
      servers,
    ],
  },
});

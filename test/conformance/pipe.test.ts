import { describe } from 'vitest';
import type { SpawnRequest, Work } from '../../src/spawn/backend.ts';
import type { Cgroups } from '../../src/spawn/cgroup/cgroups.ts';
import { createPipeBackend } from '../../src/spawn/pipe/pipe-backend.ts';
import type { Starter } from '../../src/spawn/starter/starter.ts';
import { createCurrentTable } from '../../src/spawn/tree/current-table.ts';
import { createTreeRegistry } from '../../src/spawn/tree/tree-registry.ts';
import { canMakeCgroups, createTestCgroups } from '../support/cgroups.ts';
import { carriers, endAll } from '../support/os.ts';
import { createTestStarter, endedStarter } from '../support/starters.ts';
import { type BackendUnderTest, describeBackend, describeStart } from './backend-conformance.ts';

const shell = (script: string): Work => ({ type: 'shell', shell: '/bin/sh', script });

interface Mode {
  readonly cgroups?: Cgroups;
  readonly starter?: Starter;
}

function createPipeUnderTest({ cgroups, starter }: Mode = {}): BackendUnderTest {
  const requests = new Set<SpawnRequest>();
  const backend = createPipeBackend({
    table: createCurrentTable(),
    trees: createTreeRegistry({ prepare: () => {}, add: () => {}, remove: () => {}, exempt: () => {} }),
    reportError: (error) => {
      throw error;
    },
    ...(cgroups !== undefined && { cgroups }),
    ...(starter !== undefined && { starter }),
  });
  return {
    backend: {
      ...backend,
      run: (port) => {
        requests.add(port.request);
        return backend.run(port);
      },
    },
    collectsElsewhere: starter !== undefined && starter !== endedStarter,
    work: {
      greets: { type: 'argv', file: 'echo', args: ['hello'] },
      // A shell adds variables; the given ones are in /proc.
      tells: shell('pwd; echo "$TROUPE_LINEAGE"; tr "\\0" "\\n" < /proc/$$/environ | wc -l'),
      fails: shell('printf half; printf problem >&2; exit 3'),
      obeys: shell('sleep 300 & echo up; wait'),
      ignoresTerm: shell('trap "" TERM; echo up; while :; do sleep 0.05; done'),
      leaves: shell('sleep 300 & echo up'),
      echoes: { type: 'argv', file: 'cat', args: [] },
      missing: { type: 'argv', file: 'no-such-program-anywhere', args: [] },
    },
    members: ({ id }) => carriers(`/${id}/`),
    isGone: ({ id }) => carriers(`/${id}/`).length === 0,
    end: async () => {
      for (const { id } of requests) await endAll([], `/${id}/`);
      cgroups?.close();
      await starter?.close();
    },
  };
}

describeBackend('pipe', () => createPipeUnderTest());
describe('started without a starter that has ended', () => {
  describeStart('pipe', () => createPipeUnderTest({ starter: endedStarter }));
});
describe('started by the starter', () => {
  describeBackend('pipe', () => createPipeUnderTest({ starter: createTestStarter() }));
});
describe.skipIf(!canMakeCgroups())('held by cgroups', () => {
  describeBackend('pipe', () => createPipeUnderTest({ cgroups: createTestCgroups() }));
  describe('started by the starter', () => {
    describeBackend('pipe', () =>
      createPipeUnderTest({ cgroups: createTestCgroups(), starter: createTestStarter() }),
    );
  });
});

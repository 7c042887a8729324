import { describe } from 'vitest';
import type { Backend, SpawnRequest, Work } from '../../src/spawn/backend.ts';
import type { Cgroups } from '../../src/spawn/cgroup/cgroups.ts';
import { createPtyBackend } from '../../src/spawn/pty/pty-backend.ts';
import type { Starter } from '../../src/spawn/starter/starter.ts';
import { createCurrentTable } from '../../src/spawn/tree/current-table.ts';
import { createTreeRegistry } from '../../src/spawn/tree/tree-registry.ts';
import { canMakeCgroups, createTestCgroups } from '../support/cgroups.ts';
import { carriers, endAll } from '../support/os.ts';
import { createTestStarter, endedStarter } from '../support/starters.ts';
import { type BackendUnderTest, describeBackend, describeStart } from './backend-conformance.ts';
import { describeTerminal } from './terminal-conformance.ts';

const shell = (script: string): Work => ({ type: 'shell', shell: '/bin/sh', script });

interface Mode {
  readonly cgroups?: Cgroups;
  readonly starter?: Starter;
}

function createPtyUnderTest({ cgroups, starter }: Mode = {}): BackendUnderTest {
  const requests = new Set<SpawnRequest>();
  const backend = createPtyBackend({
    table: createCurrentTable(),
    trees: createTreeRegistry({ prepare: () => {}, add: () => {}, remove: () => {}, exempt: () => {} }),
    reportError: (error) => {
      throw error;
    },
    ...(cgroups !== undefined && { cgroups }),
    ...(starter !== undefined && { starter }),
    tmuxSocket: null,
  });
  if ('why' in backend) throw new Error(backend.why);
  return {
    backend: {
      ...backend,
      run: (port) => {
        requests.add(port.request);
        return backend.run(port);
      },
    } satisfies Backend,
    collectsElsewhere: starter !== undefined && starter !== endedStarter,
    work: {
      greets: { type: 'argv', file: 'echo', args: ['hello'] },
      // A shell adds variables; the given ones are in /proc.
      tells: shell('pwd; echo "$TROUPE_LINEAGE"; tr "\\0" "\\n" < /proc/$$/environ | wc -l'),
      fails: shell('printf half; printf problem >&2; exit 3'),
      obeys: shell('sleep 300 & echo up; wait'),
      ignoresTerm: shell('trap "" TERM; echo up; while :; do sleep 0.05; done'),
      // The end of the leader hangs up, which a leftover must ignore.
      leaves: shell('trap "" HUP; sleep 300 & echo up'),
      echoes: shell('exec cat'),
      missing: { type: 'argv', file: 'no-such-program-anywhere', args: [] },
    },
    terminal: { columns: 80, rows: 24 },
    members: ({ id }) => carriers(`/${id}/`),
    isGone: ({ id }) => carriers(`/${id}/`).length === 0,
    end: async () => {
      for (const { id } of requests) await endAll([], `/${id}/`);
      cgroups?.close();
      await starter?.close();
    },
  };
}

describeBackend('pty', () => createPtyUnderTest());
describeTerminal('pty', () => createPtyUnderTest());
describe('started without a starter that has ended', () => {
  describeStart('pty', () => createPtyUnderTest({ starter: endedStarter }));
});
describe('started by the starter', () => {
  describeBackend('pty', () => createPtyUnderTest({ starter: createTestStarter() }));
  describeTerminal('pty', () => createPtyUnderTest({ starter: createTestStarter() }));
});
describe.skipIf(!canMakeCgroups())('held by cgroups', () => {
  describeBackend('pty', () => createPtyUnderTest({ cgroups: createTestCgroups() }));
  describe('started by the starter', () => {
    describeBackend('pty', () =>
      createPtyUnderTest({ cgroups: createTestCgroups(), starter: createTestStarter() }),
    );
  });
});

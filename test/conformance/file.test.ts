import { describe } from 'vitest';
import type { SpawnRequest, Work } from '../../src/spawn/backend.ts';
import type { Cgroups } from '../../src/spawn/cgroup/cgroups.ts';
import { createFileBackend } from '../../src/spawn/file/file-backend.ts';
import type { LauncherTools } from '../../src/spawn/file/launcher.ts';
import type { Starter } from '../../src/spawn/starter/starter.ts';
import { createCurrentTable } from '../../src/spawn/tree/current-table.ts';
import { createTreeRegistry } from '../../src/spawn/tree/tree-registry.ts';
import { canMakeCgroups, createTestCgroups } from '../support/cgroups.ts';
import { carriersBesideLauncher, commandOf, endAll, tempDir } from '../support/os.ts';
import { createFileLog } from '../support/output-logs.ts';
import { createTestStarter, endedStarter } from '../support/starters.ts';
import { type BackendUnderTest, describeBackend, describeStart } from './backend-conformance.ts';

const shell = (script: string): Work => ({ type: 'shell', shell: '/bin/sh', script });

/** Returns the living processes of a request, without what a launcher in monitor mode runs while its command is halted. */
function membersOf(id: string): readonly number[] {
  return carriersBesideLauncher(`/${id}/`).filter((pid) => commandOf(pid).join(' ') !== 'sleep 0.1');
}

interface Mode {
  readonly tools?: LauncherTools;
  readonly cgroups?: Cgroups;
  readonly starter?: Starter;
}

function createFileUnderTest({ tools, cgroups, starter }: Mode = {}): BackendUnderTest {
  const requests = new Set<SpawnRequest>();
  const directory = tempDir();
  const backend = createFileBackend({
    table: createCurrentTable(),
    trees: createTreeRegistry({ prepare: () => {}, add: () => {}, remove: () => {}, exempt: () => {} }),
    reportError: (error) => {
      throw error;
    },
    ...(tools !== undefined && { tools }),
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
    work: {
      greets: { type: 'argv', file: 'echo', args: ['hello'] },
      // A shell adds variables; the given ones are in /proc.
      tells: shell(
        'pwd; echo "$TROUPE_LINEAGE"; tr "\\0" "\\n" < /proc/$$/environ | grep -vc "^\\(_\\|SHLVL\\)="',
      ),
      fails: shell('printf half; printf problem >&2; exit 3'),
      obeys: shell('sleep 300 & echo up; wait'),
      ignoresTerm: shell('trap "" TERM; echo up; while :; do sleep 0.05; done'),
      leaves: shell('sleep 300 & echo up'),
      echoes: { type: 'argv', file: 'cat', args: [] },
      missing: { type: 'argv', file: 'no-such-program-anywhere', args: [] },
    },
    durable: {
      files: (id) => ({
        log: directory.file(`${id}.log`),
        status: directory.file(`${id}.status`),
        screen: directory.file(`${id}.screen`),
      }),
      openLog: ({ log, status }, clock) =>
        createFileLog({ clock, path: log, statusPath: status, maxBytes: 1024 * 1024, isOver: false }),
    },
    members: ({ id }) => membersOf(id),
    isGone: ({ id }) => membersOf(id).length === 0,
    end: async () => {
      for (const { id } of requests) await endAll([], `/${id}/`);
      directory.remove();
      cgroups?.close();
      await starter?.close();
    },
  };
}

describeBackend('file', () => createFileUnderTest());
describeBackend('file (bash)', () =>
  createFileUnderTest({ tools: { shell: '/bin/bash', setsid: '/usr/bin/setsid' } }),
);
describeBackend('file (monitor mode)', () =>
  createFileUnderTest({ tools: { shell: '/bin/bash', setsid: null } }),
);
describe('started without a starter that has ended', () => {
  describeStart('file', () => createFileUnderTest({ starter: endedStarter }));
});
describe('started by the starter', () => {
  describeBackend('file', () => createFileUnderTest({ starter: createTestStarter() }));
});
describe.skipIf(!canMakeCgroups())('held by cgroups', () => {
  describeBackend('file', () => createFileUnderTest({ cgroups: createTestCgroups() }));
  describe('started by the starter', () => {
    describeBackend('file', () =>
      createFileUnderTest({ cgroups: createTestCgroups(), starter: createTestStarter() }),
    );
  });
});

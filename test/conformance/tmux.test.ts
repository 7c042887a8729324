import { describe } from 'vitest';
import type { SpawnRequest, Work } from '../../src/spawn/backend.ts';
import type { Cgroups } from '../../src/spawn/cgroup/cgroups.ts';
import { createBackendAt, untilServerIsGone } from '../spawn/tmux/arrange.ts';
import { canMakeCgroups, createTestCgroups } from '../support/cgroups.ts';
import { isInstalled } from '../support/installed.ts';
import { carriersBesideLauncher, endAll, tempDir } from '../support/os.ts';
import { createFileLog } from '../support/output-logs.ts';
import { type BackendUnderTest, describeBackend } from './backend-conformance.ts';
import { describeTerminal } from './terminal-conformance.ts';

/** Removes the carriage returns of a terminal. */
const shell = (script: string): Work => ({
  type: 'shell',
  shell: '/bin/sh',
  script: `stty -onlcr; ${script}`,
});

function createTmuxUnderTest(cgroups?: Cgroups): BackendUnderTest {
  const requests = new Set<SpawnRequest>();
  const directory = tempDir();
  const socket = directory.file('t.sock');
  const backend = createBackendAt(socket, cgroups);
  return {
    backend: {
      ...backend,
      run: (port) => {
        requests.add(port.request);
        return backend.run(port);
      },
    },
    work: {
      greets: shell('echo hello'),
      // A terminal sets TERM, and a shell adds variables; the given ones are in /proc.
      tells: shell('pwd; echo "$TROUPE_LINEAGE"; tr "\\0" "\\n" < /proc/$$/environ | grep -vc "^TERM="'),
      fails: shell('printf half; printf problem >&2; exit 3'),
      obeys: shell('sleep 300 & echo up; wait'),
      ignoresTerm: shell('trap "" TERM; echo up; while :; do sleep 0.05; done'),
      leaves: shell('trap "" HUP; sleep 300 & echo up'),
      // Typed text is also shown: see `describeTerminal`.
      echoes: null,
      missing: { type: 'argv', file: 'no-such-program-anywhere', args: [] },
    },
    durable: {
      files: (id) => ({
        log: directory.file(`${id}.log`),
        status: directory.file(`${id}.status`),
        screen: directory.file(`${id}.screen`),
      }),
      // The suite asks for `stdout`; the supervisor renames it to `screen`.
      openLog: ({ log, status }, clock) =>
        createFileLog({ clock, path: log, statusPath: status, maxBytes: 1024 * 1024, isOver: false }),
    },
    members: ({ id }) => carriersBesideLauncher(`/${id}/`),
    isGone: ({ id }) => carriersBesideLauncher(`/${id}/`).length === 0,
    end: async () => {
      for (const { id } of requests) await endAll([], `/${id}/`);
      await untilServerIsGone(socket);
      directory.remove();
      cgroups?.close();
    },
  };
}

describe.skipIf(!isInstalled('tmux'))('with a real tmux', () => {
  describeBackend('tmux', () => createTmuxUnderTest());
  describeTerminal('tmux', () => createTmuxUnderTest());

  describe.skipIf(!canMakeCgroups())('held by cgroups', () => {
    describeBackend('tmux', () => createTmuxUnderTest(createTestCgroups()));
  });
});

import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { attachTerminal } from '../../../src/cli/verbs/attach/attach.ts';
import { parseLeaveKey } from '../../../src/cli/verbs/attach/leave-key.ts';
import type { FinalView, ProcessView } from '../../../src/process/process-view.ts';
import { tempDir, waitUntil } from '../../support/os.ts';
import { fakeIo } from '../fake-io.ts';
import { fakeStateDirectory } from '../fake-state-directory.ts';
import { endedView, processView } from '../process-views.ts';

/** Sits down in a tmux whose client ends at once with this code, and which has the session then, or has it not. */
function arrange({ code, hasSession }: { code: number; hasSession: boolean }) {
  const folder = tempDir();
  const answer = hasSession ? 'exit 0' : 'exit 1';
  const script = `case "$*" in *has-session*) touch '${folder.file('asked')}'; ${answer} ;; esac; exit ${code}`;
  writeFileSync(folder.file('tmux'), script);
  const attach = ['/bin/sh', folder.file('tmux'), 'attach-session', '-t', '=tool_a'];
  const terminal = { type: 'terminal', columns: 80, rows: 24, attach, because: 'tmux.' } as const;
  const view: ProcessView = { ...processView({ id: 'tool_a' }), mode: 'tmux', terminal };
  const state = fakeStateDirectory([{ view }]);
  const { io, ...fake } = fakeIo({ columns: 80 });
  // Whether the own terminal is still there is asked of the system.
  const fd = openSync('/dev/ptmx', constants.O_RDWR | constants.O_NOCTTY);
  Object.assign(io.stdout, { fd });
  const call = { view, io, state: state.open(), leaveKey: parseLeaveKey(), isReadOnly: false };
  return {
    ...fake,
    end: state.end,
    code: attachTerminal(call),
    asked: () => waitUntil(() => existsSync(folder.file('asked')), { what: 'tmux is asked' }),
    [Symbol.dispose]: () => {
      closeSync(fd);
      folder.remove();
    },
  };
}

test.each([
  ['still existed', 0],
  ['had disappeared', 1],
])('the end of a process whose session %s is reported', async (_name, code) => {
  using at = arrange({ code, hasSession: false });
  await at.asked();
  // So long a supervisor may be busy with something else.
  await once(AbortSignal.timeout(800), 'abort');

  at.end(endedView({ id: 'tool_a' }) as FinalView);

  expect(await at.code).toBe(7);
  expect(at.stderr()).toContain('tool_a exited with code 7');
});

test('detaching prints how to attach again', async () => {
  using at = arrange({ code: 0, hasSession: true });

  expect(await at.code).toBe(0);
  expect(at.stderr()).toContain('tool_a continues; attach again: troupe attach tool_a');
});

test('a tmux that cannot show a session says why', async () => {
  using at = arrange({ code: 1, hasSession: true });

  expect(await at.code).toBe(1);
  expect(at.stderr()).toContain('tmux did not show it: it ended with code 1');
});

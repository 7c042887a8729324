import { rmSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createSupervisor } from '../../src/index.ts';
import { openStateDirectory } from '../../src/state-directory/open-state-directory.ts';
import { toStatePaths } from '../../src/store/state-paths.ts';
import { createScriptedBackend, createVirtualClock } from '../../src/testing/index.ts';
import { tempDir } from '../support/os.ts';
import { turn } from '../support/virtual.ts';

/** A process that ended once and whose supervisor is dead, as an observer without a supervisor sees it. */
async function leaveBehind({
  maxRestarts,
  pauseMs,
  agoMs = 0,
}: {
  maxRestarts: number;
  pauseMs: number;
  agoMs?: number;
}) {
  const place = tempDir();
  onTestFinished(() => place.remove());
  const paths = toStatePaths(place.path);
  const clock = createVirtualClock({ epochMs: Date.now() - agoMs });
  const backend = createScriptedBackend(undefined, { durable: true });
  const supervisor = createSupervisor({ clock, backend, stateDirectory: place.path, control: false });
  const { id } = supervisor.start({
    ...{ command: ['server'], lifetime: 'persistent', background: true },
    restart: { policy: 'permanent', maxRestarts, minBackoff: 1_000 },
  });
  backend.lastRun.exit({ code: 1 });
  await turn();
  clock.advance(pauseMs);
  await turn();
  clock.advance(100);
  rmSync(paths.supervisorOf(supervisor.id));
  return {
    endAgain: () =>
      writeFileSync(paths.statusOf(id), '\nlauncher 2 4194300\n\nleader 2 4194301\n\nexit 2 1\n'),
    kill: async () => {
      const state = openStateDirectory({ directory: place.path });
      const answer = await state.kill(id);
      state.close();
      return answer;
    },
    see: async () => {
      const state = openStateDirectory({ directory: place.path });
      const { view } = await state.show(id);
      state.close();
      return view;
    },
  };
}

test('a process whose restart is due is restarting without a supervisor', async () => {
  const { see } = await leaveBehind({ maxRestarts: 3, pauseMs: 100, agoMs: 600_000 });

  expect(await see()).toMatchObject({ status: 'restarting', attempt: 1 });
});

test('a process with restarts left is restarting without a supervisor', async () => {
  const { endAgain, see } = await leaveBehind({ maxRestarts: 2, pauseMs: 2_000 });
  endAgain();

  expect(await see()).toMatchObject({ status: 'restarting', attempt: 2 });
});

test('a process that used up its restarts has failed without a supervisor', async () => {
  const { endAgain, see } = await leaveBehind({ maxRestarts: 1, pauseMs: 2_000 });
  endAgain();

  expect(await see()).toMatchObject({ status: 'failed', attempt: 2, reason: { type: 'exited', code: 1 } });
});

test('a kill between two attempts cancels the next one without a supervisor', async () => {
  const { kill, see } = await leaveBehind({ maxRestarts: 3, pauseMs: 100, agoMs: 600_000 });

  const answer = await kill();

  expect(answer).toMatchObject({
    type: 'cancelled',
    message: expect.stringContaining('was cancelled before it started again.'),
  });
  expect(await see()).toMatchObject({ status: 'killed', reason: { type: 'cancelled', by: 'user' } });
});

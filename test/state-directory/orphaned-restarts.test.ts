import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { toStatePaths } from '../../src/store/state-paths.ts';
import { openDirectoryHarness } from '../support/directory.ts';
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
  const { path, open, crash, look } = openDirectoryHarness({ recordsIn: 'files' });
  const { supervisor, backend, clock } = open({ epochMs: Date.now() - agoMs });
  const { id } = supervisor.start({
    ...{ command: ['server'], lifetime: 'persistent', background: true },
    restart: { policy: 'permanent', maxRestarts, minBackoff: 1_000 },
  });
  backend.lastRun.exit({ code: 1 });
  await turn();
  clock.advance(pauseMs);
  await turn();
  clock.advance(100);
  crash(supervisor);
  return {
    endAgain: () =>
      writeFileSync(
        toStatePaths(path).statusOf(id),
        '\nlauncher 2 4194300\n\nleader 2 4194301\n\nexit 2 1\n',
      ),
    kill: () => look((state) => state.kill(id)),
    see: () => look(async (state) => (await state.show(id)).view),
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

test('a process that was to end with its supervisor is lost, and the view names the supervisor', async () => {
  const { open, crash, look } = openDirectoryHarness({ recordsIn: 'files' });
  const { supervisor, clock } = open();
  const { id } = supervisor.start({ command: ['make'], background: true });
  clock.advance(100);
  crash(supervisor);

  expect(await look(async (state) => (await state.show(id)).view)).toMatchObject({
    status: 'lost',
    reason: { type: 'lost', why: `its supervisor ${supervisor.id} ended without ending it` },
  });
});

import { spawn } from 'node:child_process';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { describeSurvivors } from '../../../src/spawn/tree/describe-survivors.ts';
import { endAll, startTicksOf, stateOf, waitUntil } from '../../support/os.ts';

const member = (pid: number, startedAt: string) => ({ pid, pgid: pid, startedAt, command: `program ${pid}` });
const gone = member(2 ** 22, '1');
const ownUser = process.geteuid?.() ?? 0;

test('a survivor that has ended meanwhile was alive', () => {
  expect(describeSurvivors([gone])).toBe('4194304 (program 4194304), which was alive at the last check');
});

test('no survivors are no words', () => {
  expect(describeSurvivors([])).toBe('');
});

describe.skipIf(process.platform !== 'linux')('on Linux', () => {
  /** Starts a program that sleeps, owned by the user of the tests. */
  async function startSleeping() {
    const { pid = 0 } = spawn('sleep', ['300'], { stdio: 'ignore' });
    onTestFinished(() => endAll([pid]));
    await waitUntil(() => stateOf(pid) === 'S');
    return member(pid, startTicksOf(pid) ?? '');
  }

  test('survivors are named each with its reason', async () => {
    const asleep = await startSleeping();
    const { pid } = asleep;

    expect(describeSurvivors([asleep, gone])).toBe(
      `${pid} (program ${pid}), which the system has not ended (state S); ` +
        '4194304 (program 4194304), which was alive at the last check',
    );
  });

  test('a reused pid is not the survivor', async () => {
    const { pid } = await startSleeping();

    expect(describeSurvivors([member(pid, '1')])).toBe(
      `${pid} (program ${pid}), which was alive at the last check`,
    );
  });

  test.each([
    [ownUser + 1, `runs as user id ${ownUser}, and only that user may end it`],
    [0, 'the system has not ended (state S)'],
    [ownUser, 'the system has not ended (state S)'],
  ])('a survivor of another user is named with it, but not for root: to user %i', async (user, reason) => {
    const asleep = await startSleeping();
    vi.spyOn(process, 'geteuid').mockReturnValue(user);
    onTestFinished(() => void vi.restoreAllMocks());

    expect(describeSurvivors([asleep])).toBe(`${asleep.pid} (program ${asleep.pid}), which ${reason}`);
  });
});

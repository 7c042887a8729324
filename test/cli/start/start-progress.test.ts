import { expect, test } from 'vitest';
import { waitUntilReady } from '../../../src/cli/verbs/start/start-progress.ts';
import type { ReadyView } from '../../../src/process/process-view.ts';
import { endedView, runningView } from '../../support/views.ts';
import { fakeIo } from '../fake-io.ts';
import { fakeStateDirectory } from '../fake-state-directory.ts';

/** Waits for a process with this readiness, and returns the answer with what was printed. */
async function wait(view = runningView(), { columns = 80, mayComplete = false } = {}) {
  const { io, stderr } = fakeIo({ columns });
  const state = fakeStateDirectory([{ view }]).open();
  const isReady = await waitUntilReady(view, { state, io, mayComplete });
  return { isReady, stderr: stderr() };
}

const withReadiness = (ready: ReadyView) => runningView({ label: 'web', ready });

test('a ready process prints nothing', async () => {
  const { isReady, stderr } = await wait(withReadiness({ state: 'ready', afterMs: 5 }));

  expect(isReady).toBe(true);
  expect(stderr).not.toContain('is not ready');
});

test('a failure is printed once the progress line is gone', async () => {
  const { isReady, stderr } = await wait(withReadiness({ state: 'failed', why: 'port 1 stayed closed' }));
  const shownAt = stderr.indexOf('waiting for');
  const failedAt = stderr.indexOf('(web) is not ready: port 1 stayed closed.');

  expect(isReady).toBe(false);
  expect(shownAt).toBeGreaterThanOrEqual(0);
  expect(stderr.slice(shownAt, failedAt)).toContain('\r\x1b[K');
  expect(stderr.slice(failedAt)).not.toContain('waiting for');
});

test('an end is a failure, unless the process may complete', async () => {
  const ended = endedView({ label: 'job' }) as never;

  expect(await wait(ended)).toMatchObject({
    isReady: false,
    stderr: expect.stringContaining('(job) is not ready: it exited with code 0'),
  });
  expect(await wait(ended, { mayComplete: true })).toMatchObject({ isReady: true });
});

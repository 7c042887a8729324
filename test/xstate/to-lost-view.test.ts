import { expect, test } from 'vitest';
import { toLostView } from '../../src/xstate/to-lost-view.ts';
import { endedView, runningView } from '../support/views.ts';

test('an unknown process is lost where it was seen last', () => {
  const view = runningView({
    ...{ createdAt: 1, startedAt: 2, backgroundedAt: 3, runtimeMs: 4, restarts: 5, pid: 6 },
    progress: { percent: 1, state: 'running', text: null },
    awaitsInput: { kind: 'line', certainty: 'hint', prompt: null, since: 1 },
  });

  const lost = toLostView({ ...view, output: { ...view.output, lastOutputAt: 9 } });

  expect(lost).toMatchObject({
    ...{ status: 'lost', id: view.id, createdAt: 1, startedAt: 2, backgroundedAt: 3, endedAt: 9 },
    ...{ runtimeMs: 4, restarts: 5, pid: 6, progress: null, awaitsInput: null, exit: null, leftovers: [] },
    reason: {
      type: 'lost',
      why: 'its supervisor does not know it: its record was not kept, or is in another state directory',
    },
  });
});

test('a silent process ends at its start, and one that was not started at its creation', () => {
  const { pid, pgid, startedAt, runtimeMs, restarts, backgroundedAt, ready, held, endsAt, ...facts } =
    runningView({ createdAt: 1, startedAt: 2 });

  expect(toLostView(runningView({ createdAt: 1, startedAt: 2 }))).toMatchObject({ endedAt: 2 });
  expect(toLostView({ ...facts, status: 'pending', queued: true })).toMatchObject({
    ...{ endedAt: 1, startedAt: null, backgroundedAt: null, pid: null, runtimeMs: 0, restarts: 0 },
  });
});

test('an end that is known stays', () => {
  const ended = endedView();

  expect(toLostView(ended)).toBe(ended);
});

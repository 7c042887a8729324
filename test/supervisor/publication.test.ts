import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { LifecycleEvent } from '../../src/process/lifecycle-event.ts';
import type { FinalView } from '../../src/process/process-view.ts';
import type { SupervisedProcess } from '../../src/process/supervised-process.ts';
import { createPublication } from '../../src/supervisor/publication.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { endedView } from '../support/views.ts';

const view = endedView({ id: 'tool_a', attempt: 2 });

/** Publishes events of one process, and notes in order what its audience hears. */
function arrange({ isRestored = false, isObserved = true, searching = null as Promise<void> | null } = {}) {
  const heard: unknown[] = [];
  let views = 0;
  const ended = Promise.withResolvers<FinalView>();
  const process = {
    ...{ id: view.id, owner: view.owner, ended: ended.promise, isRestored },
    view: () => {
      views += 1;
      return view;
    },
  } as unknown as SupervisedProcess;
  const publication = createPublication({
    clock: createVirtualClock({ epochMs: 7_000 }),
    mailboxes: {
      expectEnd: (owner, published) => void published.then(() => heard.push(['published', owner])),
      addEnd: ({ id }) => void heard.push(['end', id]),
      addRunning: (type, { at }) => void heard.push(['running', type, at]),
      withdraw: (what) => void heard.push(['withdraw', what]),
    },
    watchesEnded: () => searching,
  });
  if (isObserved) publication.events.subscribe(({ at, ...event }) => heard.push([event.type, at, event]));
  publication.changes.subscribe(() => heard.push('changes'));
  return {
    ...{ publication, heard, ended },
    views: () => views,
    tell: (event: LifecycleEvent) => publication.on(event, process),
  };
}

const event = (type: LifecycleEvent['type'], own: object = {}) => ({ type, ...own }) as LifecycleEvent;

test.each([
  [event('process.started'), { type: 'process.started' }],
  [event('process.backgrounded', { by: 'user' }), { type: 'process.backgrounded', by: 'user' }],
  [event('process.faulted', { error: 'odd' }), { type: 'process.faulted', error: 'odd' }],
  [event('process.broken', { error: 'odd' }), { type: 'process.faulted', error: 'odd' }],
  [event('process.detached'), { type: 'process.released' }],
])('%o is published with its view', (given, published) => {
  const { heard, tell } = arrange();

  tell(given);

  expect(heard).toEqual([[published.type, 7_000, { ...published, process: view }]]);
});

test.each([
  'process.signalled',
  'process.released',
  'process.promoted',
  'attempt.starting',
  'input.written',
  'record.changed',
] as const)('%s is not published', (type) => {
  const { heard, tell } = arrange();

  tell(event(type));

  expect(heard).toEqual([]);
});

test('a changed view changes lists only', () => {
  const { heard, tell } = arrange();

  tell(event('view.changed'));

  expect(heard).toEqual(['changes']);
});

test.each(['process.silent', 'process.elapsed'] as const)('%s reaches the owner as well', (type) => {
  const { heard, tell } = arrange();

  tell(event(type));

  expect(heard).toEqual([
    ['running', type, 7_000],
    [type, 7_000, { type, process: view }],
  ]);
});

test('no view is created for events without a subscriber', () => {
  const { heard, tell, views } = arrange({ isObserved: false });

  tell(event('process.started'));

  expect([heard, views()]).toEqual([[], 0]);
});

test('the last matches of watches come before the end', async () => {
  const searching = Promise.withResolvers<void>();
  const { publication, heard, ended, tell } = arrange({ searching: searching.promise });
  publication.completions.completions$.subscribe((completion) => heard.push(completion));

  tell(event('process.ended'));
  ended.resolve(view);
  await setImmediate();
  heard.push('matches');
  searching.resolve();
  await setImmediate();

  expect(heard).toEqual([
    'matches',
    ['process.ended', 7_000, { type: 'process.ended', process: view }],
    ['withdraw', { of: 'process', id: 'tool_a' }],
    ['end', 'tool_a'],
    { id: 'tool_a/2/ended', at: 7_000, process: view },
    ['published', view.owner],
  ]);
});

test.each([
  [true, ['tool_a']],
  [false, []],
])('a completion waits for its first subscriber only after an adoption: %s', async (isRestored, waiting) => {
  const { publication, ended, tell } = arrange({ isRestored });
  tell(event('process.ended'));
  ended.resolve(view);
  await setImmediate();
  const received: string[] = [];

  publication.completions.completions$.subscribe(({ process }) => received.push(process.id));

  expect(received).toEqual(waiting);
});

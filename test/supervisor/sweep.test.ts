import { expect, test } from 'vitest';
import type { SupervisorSettings } from '../../src/config/supervisor-options.ts';
import type { TimelineEntry } from '../../src/process/timeline.ts';
import { toStatePaths } from '../../src/store/state-paths.ts';
import type { SupervisorRegistry } from '../../src/store/supervisor-registry.ts';
import { createCompletionStream } from '../../src/supervisor/completion-stream.ts';
import type { Completion } from '../../src/supervisor/runtime-event.ts';
import { isPastRetention, outputFilesOf } from '../../src/supervisor/sweep.ts';
import { unregisterDead } from '../../src/supervisor/unregister-dead.ts';
import { endedView } from '../support/views.ts';

const settings = { retention: 100, logRetention: 1_000 } as SupervisorSettings;
const notified: readonly TimelineEntry[] = [{ type: 'process.notified', at: 1 }];
const leftovers = [{ pid: 7, pgid: 7, startedAt: '1', command: 'x' }];

test.each([
  ['of a command', {}, [], 100],
  ['with an id of the caller', { id: 'build-7' }, [], 1_000],
  ['that was not delivered', { lifetime: 'persistent' as const }, [], 1_000],
  ['that was delivered', { lifetime: 'persistent' as const }, notified, 100],
  ['with leftovers', { leftovers }, [], 1_000],
])('an end %s is kept for its time', (_, own, timeline, keptMs) => {
  const view = endedView({ endedAt: 5_000, ...own });
  const isPastAt = (nowAt: number) => isPastRetention({ view, timeline }, { settings, nowAt });

  expect([isPastAt(5_000 + keptMs), isPastAt(5_001 + keptMs)]).toEqual([false, true]);
});

test('an end that is kept long is kept no shorter than any other', () => {
  const view = endedView({ id: 'build-7', endedAt: 0 });
  const short = { retention: 100, logRetention: 10 } as SupervisorSettings;

  expect(isPastRetention({ view, timeline: [] }, { settings: short, nowAt: 100 })).toBe(false);
});

test('the retention of an end begins with its discovery', () => {
  const timeline: readonly TimelineEntry[] = [
    { type: 'process.ended', at: 9_000 },
    { type: 'process.notified', at: 9_001 },
  ];
  const view = endedView({ lifetime: 'persistent', endedAt: 5_000 });
  const isPastAt = (nowAt: number) => isPastRetention({ view, timeline }, { settings, nowAt });

  expect([isPastAt(9_100), isPastAt(9_101)]).toEqual([false, true]);
});

test('the log goes with all files beside it', () => {
  const paths = toStatePaths('/s');

  expect(outputFilesOf('tool_a', paths)).toEqual(
    ['log', 'log.tail', 'log.times', 'status', 'screen'].map((end) => `/s/processes/tool_a.${end}`),
  );
});

/** Registry with supervisors in these states. */
function arrange(states: Readonly<Record<string, 'alive' | 'dead' | 'elsewhere'>>, supervisorId?: string) {
  const left = new Map(Object.entries(states));
  const removed: string[] = [];
  const pruned: boolean[] = [];
  unregisterDead({
    supervisors: {
      list: () => [...left].map(([id, state]) => ({ entry: { id }, state })),
      unregister: (id: string) => {
        left.delete(id);
        removed.push(id);
      },
    } as unknown as SupervisorRegistry,
    environments: {
      prune: (isOrphan: (id: string) => boolean) => void pruned.push(isOrphan('tool_a')),
    } as never,
    paths: toStatePaths('/no/such/directory'),
    ...(supervisorId !== undefined && { supervisorId }),
  });
  return { removed, pruned };
}

test('entries of dead supervisors are removed, and environments that no live one may need', () => {
  expect(arrange({ sup_a: 'dead', sup_b: 'dead' })).toEqual({ removed: ['sup_a', 'sup_b'], pruned: [true] });
  expect(arrange({ sup_a: 'dead', sup_b: 'alive' }, 'sup_b')).toEqual({ removed: ['sup_a'], pruned: [true] });
  expect(arrange({ sup_a: 'dead', sup_b: 'alive' })).toEqual({ removed: ['sup_a'], pruned: [false] });
  expect(arrange({ sup_a: 'dead', sup_b: 'elsewhere' })).toEqual({ removed: ['sup_a'], pruned: [false] });
  expect(arrange({ sup_a: 'alive', sup_b: 'elsewhere' })).toEqual({ removed: [], pruned: [] });
});

const completion = (id: string) => ({ id }) as Completion;

test('completions of earlier supervisors wait for the first subscriber', () => {
  const { tell, completions$, complete } = createCompletionStream();
  const [first, second]: [string[], string[]] = [[], []];

  tell(completion('kept'), { isKept: true });
  tell(completion('missed'), { isKept: false });
  completions$.subscribe({ next: ({ id }) => first.push(id), complete: () => first.push('complete') });
  completions$.subscribe(({ id }) => second.push(id));
  tell(completion('now'), { isKept: true });
  complete();

  expect(first).toEqual(['kept', 'now', 'complete']);
  expect(second).toEqual(['now']);
});

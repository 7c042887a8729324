import { Subject } from 'rxjs';
import { expect, test } from 'vitest';
import type { ReportedEvent } from '../../src/control/protocol.ts';
import { sendEvents } from '../../src/control/send-events.ts';
import type { ProcessView } from '../../src/process/process-view.ts';
import type { TimelineEntry } from '../../src/process/timeline.ts';
import type { RuntimeEvent } from '../../src/supervisor/runtime-event.ts';
import type { Supervisor } from '../../src/supervisor/supervisor.ts';
import { turn } from '../support/virtual.ts';

const view = (id: string) => ({ id }) as ProcessView;
const entry = (type: TimelineEntry['type'], at: number) => ({ type, at }) as TimelineEntry;
const event = (type: RuntimeEvent['type'], at: number, own: object = {}) =>
  ({ type, at, process: view('tool_a'), ...own }) as RuntimeEvent;

/** Sends the events of a supervisor with these timelines; `isSlow` holds each until `read` is called. */
function arrange({
  timelines,
  since = 0,
  isSlow = false,
}: {
  timelines: Readonly<Record<string, readonly TimelineEntry[]>>;
  since?: number;
  isSlow?: boolean;
}) {
  const events$ = new Subject<RuntimeEvent>();
  const supervisor = {
    events$,
    list: () => Object.keys(timelines).map(view),
    get: (id: string) => ({ timeline: () => timelines[id] }),
  } as unknown as Supervisor;
  const abort = new AbortController();
  const sent: ReportedEvent[] = [];
  let room = Promise.withResolvers<void>();
  if (!isSlow) room.resolve();
  const port = {
    signal: abort.signal,
    send: (item: unknown) => {
      sent.push(item as ReportedEvent);
      return room.promise;
    },
  };
  return {
    events$,
    sent,
    abort,
    done: sendEvents(supervisor, { since, port }),
    read: () => room.resolve(),
    stall: () => {
      room = Promise.withResolvers<void>();
    },
  };
}

const told = (sent: readonly ReportedEvent[]) =>
  sent.map((each) => [each.type, each.at, 'process' in each ? each.process?.id : null]);

test('the past of all processes comes first, in the order of time', async () => {
  const { sent } = arrange({
    since: 2,
    timelines: {
      tool_a: [entry('process.created', 1), entry('process.started', 2), entry('process.ended', 5)],
      tool_b: [entry('process.created', 3), entry('process.started', 4)],
    },
  });
  await turn();

  expect(told(sent)).toEqual([
    ['process.started', 2, 'tool_a'],
    ['process.created', 3, 'tool_b'],
    ['process.started', 4, 'tool_b'],
    ['process.ended', 5, 'tool_a'],
  ]);
});

test('entries that are no events, or of an earlier supervisor, are not sent', async () => {
  const { sent } = arrange({
    timelines: {
      tool_a: [
        entry('process.created', 1),
        entry('process.adopted', 2),
        entry('process.notified', 3),
        entry('process.read', 3),
        entry('process.secretWritten', 3),
        entry('process.signalled', 3),
        entry('input.failed', 3),
        entry('limits.changed', 3),
        entry('process.paused', 4),
      ],
    },
  });
  await turn();

  expect(told(sent).map(([type]) => type)).toEqual(['process.adopted', 'process.paused']);
});

test('an event is sent as it happens, with its error as text', async () => {
  const { sent, events$ } = arrange({ timelines: {} });
  await turn();

  events$.next(event('process.started', 7));
  events$.next(event('process.faulted', 8, { error: new Error('out of luck') }));
  await turn();

  expect(sent).toEqual([
    { type: 'process.started', at: 7, process: { id: 'tool_a' } },
    { type: 'process.faulted', at: 8, process: { id: 'tool_a' }, error: 'out of luck' },
  ]);
});

test('an end of the past is not repeated, the end of a later attempt is sent', async () => {
  const { sent, events$ } = arrange({ timelines: { tool_a: [entry('process.ended', 5)] } });

  events$.next(event('process.ended', 5));
  events$.next(event('process.ended', 9));
  await turn();

  expect(told(sent)).toEqual([
    ['process.ended', 5, 'tool_a'],
    ['process.ended', 9, 'tool_a'],
  ]);
});

test('a slow client gets the newest 10 000 events and the count of the others', async () => {
  const { sent, events$, read } = arrange({
    timelines: { tool_a: [entry('process.created', 1)] },
    isSlow: true,
  });
  await turn();

  for (let at = 1; at <= 10_003; at += 1) events$.next(event('process.silent' as never, at));
  read();
  await turn();

  expect(sent).toHaveLength(10_002);
  expect(sent[1]).toMatchObject({ type: 'events.dropped', count: 3 });
  expect([sent[2]?.at, sent.at(-1)?.at]).toEqual([4, 10_003]);
});

test('a client that leaves ends the subscription', async () => {
  const { events$, abort, done } = arrange({ timelines: {} });
  await turn();
  const wasObserved = events$.observed;

  abort.abort();

  expect(await done).toBeNull();
  expect([wasObserved, events$.observed]).toEqual([true, false]);
});

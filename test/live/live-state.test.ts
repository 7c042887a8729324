import { describe, expect, test } from 'vitest';
import { applyLiveEvent, emptyLiveState, type LiveState, toLiveEvents } from '../../src/live/live-state.ts';
import type { MachineStep, MachineView } from '../../src/live/machine-view.ts';
import { endedView, runningView } from '../support/views.ts';

const step = (at: number): MachineStep => ({
  at,
  event: 'tick',
  guards: [],
  transitions: [],
  states: ['on'],
});
const chart = { name: 'clock', description: '', states: [], transitions: [] };

function withMachine(path: readonly MachineStep[]): LiveState {
  const machine: MachineView = { id: 'x:1', name: 'clock', chart, status: 'active', path };
  return { ...emptyLiveState, machines: { 'x:1': machine } };
}

test('events lead from one state to the other, and send only what is new', () => {
  const steps = [1, 2, 3, 4, 5].map(step);
  const states = [
    emptyLiveState,
    withMachine(steps.slice(0, 2)),
    withMachine(steps.slice(0, 3)),
    // The oldest steps are forgotten while new ones arrive.
    withMachine(steps.slice(2, 5)),
    withMachine([step(9)]),
    emptyLiveState,
  ];
  let seen: LiveState = emptyLiveState;
  let before: LiveState = emptyLiveState;

  for (const after of states) {
    const events = toLiveEvents(before, after);
    seen = (JSON.parse(JSON.stringify(events)) as typeof events).reduce(applyLiveEvent, seen);
    expect(seen).toEqual(after);
    before = after;
  }

  const [first, second] = [states[1], states[2]] as [LiveState, LiveState];
  expect(toLiveEvents(first, second)).toMatchObject([
    { type: 'machine.changed', dropped: 0, steps: [{ at: 3 }] },
  ]);
  expect(JSON.stringify(toLiveEvents(first, second))).not.toContain('chart');
});

const [web, worker] = [runningView({ id: 'tool_web' }), runningView({ id: 'tool_worker' })];
const webEnded = endedView({ id: 'tool_web' });
const chat = { id: 'chat', status: 'idle', writing: '', inbox: [] } as const;
const [hello, hi] = [
  { role: 'user', text: 'hello' } as const,
  { role: 'assistant', text: 'hi', toolCalls: [] } as const,
];
const entries = [1, 2, 3].map((at) => ({ at, type: 'process.started' }) as never);
const question = { id: 'q1', at: 5, question: {} as never };

const state = (parts: Partial<LiveState>): LiveState => ({ ...emptyLiveState, ...parts });
const talk = (...transcript: LiveState['conversations'][string]['transcript']) =>
  state({ conversations: { chat: { ...chat, transcript } } });

describe('events say what is different', () => {
  test.for<[name: string, before: LiveState, after: LiveState, events: readonly object[]]>([
    ['nothing', state({ processes: [web] }), state({ processes: [web] }), []],
    [
      'a process comes',
      state({ processes: [web] }),
      state({ processes: [web, worker] }),
      [
        { type: 'process.changed', view: worker },
        { type: 'processes.ordered', ids: ['tool_web', 'tool_worker'] },
      ],
    ],
    [
      'a process ends in its place',
      state({ processes: [web, worker] }),
      state({ processes: [webEnded, worker] }),
      [{ type: 'process.changed', view: webEnded }],
    ],
    [
      'processes change places',
      state({ processes: [web, worker] }),
      state({ processes: [worker, web] }),
      [{ type: 'processes.ordered', ids: ['tool_worker', 'tool_web'] }],
    ],
    [
      'a process goes, with its supervisor and timeline',
      state({
        processes: [web, worker],
        supervisors: { tool_web: 's1', tool_worker: 's1' },
        timelines: { tool_web: entries },
      }),
      state({ processes: [worker], supervisors: { tool_worker: 's1' } }),
      [
        { type: 'process.forgotten', id: 'tool_web' },
        { type: 'processes.ordered', ids: ['tool_worker'] },
      ],
    ],
    [
      'supervisors become known',
      state({ supervisors: { a: 's1' } }),
      state({ supervisors: { a: 's1', b: 's2', c: 's1', d: 's2' } }),
      [
        { type: 'processes.supervised', supervisor: 's2', ids: ['b', 'd'] },
        { type: 'processes.supervised', supervisor: 's1', ids: ['c'] },
      ],
    ],
    [
      'timelines grow',
      state({ timelines: { a: entries.slice(0, 1), b: entries } }),
      state({ timelines: { a: entries, b: entries, c: entries.slice(0, 1) } }),
      [
        { type: 'timeline.changed', id: 'a', kept: 1, entries: entries.slice(1) },
        { type: 'timeline.changed', id: 'c', kept: 0, entries: entries.slice(0, 1) },
      ],
    ],
    [
      'a conversation begins',
      state({}),
      talk(hello),
      [{ type: 'conversation.changed', view: chat, kept: 0, messages: [hello] }],
    ],
    [
      'a conversation goes on',
      talk(hello),
      talk(hello, hi),
      [{ type: 'conversation.changed', view: chat, kept: 1, messages: [hi] }],
    ],
    [
      'a transcript becomes shorter',
      talk(hello, hi, hello),
      talk(hello),
      [{ type: 'conversation.changed', view: chat, kept: 1, messages: [] }],
    ],
    ['a conversation ends', talk(hello), state({}), [{ type: 'conversation.forgotten', id: 'chat' }]],
    [
      'a question is asked',
      state({}),
      state({ questions: [question] }),
      [{ type: 'questions.changed', questions: [question] }],
    ],
    ['a machine ends', withMachine([]), state({}), [{ type: 'machine.forgotten', id: 'x:1' }]],
    [
      'a machine without steps gets one',
      withMachine([]),
      withMachine([step(1)]),
      [
        {
          type: 'machine.changed',
          view: { id: 'x:1', name: 'clock', status: 'active' },
          dropped: 0,
          steps: [step(1)],
        },
      ],
    ],
  ])('%s', ([, before, after, events]) => {
    const told = toLiveEvents(before, after);

    expect(told).toEqual(events);
    expect(told.reduce(applyLiveEvent, before)).toEqual(after);
  });
});

test('an event of what is unknown changes nothing else', () => {
  const before = state({ processes: [web], timelines: { tool_web: entries } });
  const machine = { id: 'x:1', name: 'clock', status: 'active' } as const;

  expect(applyLiveEvent(before, { type: 'machine.changed', view: machine, dropped: 0, steps: [] })).toBe(
    before,
  );
  expect(applyLiveEvent(before, { type: 'process.forgotten', id: 'tool_x' })).toEqual(before);
  expect(applyLiveEvent(before, { type: 'processes.ordered', ids: ['tool_x', 'tool_web'] })).toEqual(before);
  expect(applyLiveEvent(before, { type: 'process.changed', view: worker }).processes).toEqual([web, worker]);
});

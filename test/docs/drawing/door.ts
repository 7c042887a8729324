import { and, not, setup } from 'xstate';

/** A small chart with one of everything that a picture has to show. */
export const doorMachine = setup({
  types: {} as {
    context: { delayMs: number };
    events: { type: 'push' } | { type: 'knock' } | { type: 'lock' } | { type: 'break' };
  },
  actions: {
    ring: (_, _order: { bell: string }) => undefined,
    greet: () => undefined,
    count: () => undefined,
  },
  guards: { isOiled: () => true, isLate: () => false },
}).createMachine({
  id: 'door',
  description: 'A door.',
  context: { delayMs: 1 },
  initial: 'shut',
  on: { break: { target: '.broken' }, knock: { actions: 'count' } },
  states: {
    shut: {
      description: 'No one enters; "not even" <you>.',
      initial: 'closed',
      on: { lock: '.bolted' },
      states: {
        closed: {
          on: { push: [{ guard: 'isOiled', target: '#door.open', actions: 'greet' }, { actions: 'count' }] },
        },
        bolted: {
          entry: { type: 'ring', params: ({ context }) => ({ delayMs: context.delayMs, bell: 'front' }) },
        },
      },
    },
    open: {
      description: 'Everybody passes.',
      always: { guard: and(['isLate', not('isOiled')]), target: 'shut' },
    },
    broken: { description: 'Nothing helps.', type: 'final' },
  },
});

import {
  type ConversationContext,
  hasPendingMessage,
  nextDelivery,
  type TurnEnd,
  toBackoffMs,
} from './context.ts';
import type { ConversationEvent } from './events.ts';
import { conversationSetup, createConversationContext } from './setup.ts';

const deliver = [
  {
    type: 'deliver' as const,
    params: ({ context }: { context: ConversationContext }) => ({ ids: nextDelivery(context) }),
  },
  'removeDelivered' as const,
];

const compact = {
  type: 'compact' as const,
  params: ({ event }: { event: ConversationEvent }) => ({
    because: event.type === 'context.exceeded' ? event.by : ('request' as const),
  }),
};

const endTurn = (end: TurnEnd) => ({ type: 'endTurn' as const, params: { end } });

/**
 * The loop of an agent: the model speaks, its calls are made, and what happens outside comes in at safe points only – never
 * between a call and its result.
 */
export const conversationMachine = conversationSetup.createMachine({
  id: 'conversation',
  description: 'An agent, its turns, and what waits for it.',
  context: ({ input }) => createConversationContext(input),
  initial: 'open',
  states: {
    open: {
      description: 'The agent can be spoken to and woken.',
      type: 'parallel',
      on: {
        'conversation.close': 'closing',
        'conversation.broke': { target: 'closing', actions: 'recordBreak' },
        'conversation.finish': {
          actions: [
            'endWithProcesses',
            {
              type: 'armDeadline',
              params: ({ event }) => ({ deadline: 'background', afterMs: event.waitMs }),
            },
          ],
        },
        'deadline.background': { actions: 'endNow' },
      },
      states: {
        inbox: {
          description: 'What happened outside, until it is delivered, read of otherwise, or closed with.',
          on: { 'inbox.arrived': { actions: 'addToInbox' }, 'inbox.withdrawn': { actions: 'withdraw' } },
        },
        loop: {
          initial: 'idle',
          states: {
            idle: {
              description: 'No turn runs.',
              initial: 'resting',
              states: {
                resting: {
                  description: 'Nothing waits that is worth a turn.',
                  always: [
                    { guard: 'isEndingNow', target: '#conversation.closing' },
                    { guard: 'hasReasonToWake', target: 'gathering' },
                    {
                      guard: 'isEndingWithProcesses',
                      target: '#conversation.open.loop.waiting.forProcesses',
                    },
                  ],
                  on: { 'conversation.compact': 'compacting' },
                },
                compacting: {
                  description: 'A person wants the transcript shorter.',
                  entry: compact,
                  exit: 'stopCompacting',
                  always: { guard: 'isEndingNow', target: '#conversation.closing' },
                  on: { 'compaction.settled': 'resting' },
                },
                gathering: {
                  description:
                    'Whatever happens together is told together: this turn of the event loop is let pass.',
                  entry: 'gather',
                  on: {
                    'inbox.gathered': [
                      {
                        guard: 'hasReasonToWake',
                        target: '#conversation.open.loop.thinking',
                        actions: ['resetTurn', 'announceTurn', 'countStep', ...deliver],
                      },
                      { target: 'resting' },
                    ],
                  },
                },
              },
            },
            thinking: {
              description: 'The model speaks.',
              entry: {
                type: 'callModel',
                params: ({ context }) => ({ mayCompact: context.compactions === 0 }),
              },
              exit: 'stopModel',
              on: {
                'model.replied': [
                  { guard: 'hasCalls', target: 'acting' },
                  {
                    guard: 'hasMoreMessages',
                    target: 'thinking',
                    reenter: true,
                    actions: ['countStep', ...deliver],
                  },
                  { target: 'idle', actions: endTurn('answered') },
                ],
                'model.failed': [
                  { guard: 'isWorthRetrying', target: 'waiting.toRetry', actions: 'countFailure' },
                  { target: 'idle', actions: endTurn('failed') },
                ],
                'context.exceeded': [
                  { guard: 'canCompact', target: 'waiting.compacting', actions: 'countCompaction' },
                  { target: 'idle', actions: endTurn('failed') },
                ],
                'turn.interrupt': { target: 'idle', actions: endTurn('interrupted') },
              },
            },
            acting: {
              description: 'The calls of one reply are being made.',
              initial: 'working',
              entry: {
                type: 'runCalls',
                params: ({ context }) => ({ mayWait: !hasPendingMessage(context) }),
              },
              states: {
                working: {
                  description: 'Several at once; the results are kept in the order of the calls.',
                  on: {
                    'inbox.arrived': { guard: 'isMessage', actions: 'interruptWaits' },
                    'turn.interrupt': { target: 'stopping', actions: 'interruptCalls' },
                    'calls.settled': [
                      {
                        guard: 'hasStepLeft',
                        target: '#conversation.open.loop.thinking',
                        actions: ['withdraw', 'countStep', ...deliver],
                      },
                      {
                        target: '#conversation.open.loop.idle',
                        actions: ['withdraw', endTurn('stepLimit')],
                      },
                    ],
                  },
                },
                stopping: {
                  description: 'The turn was interrupted; each call still gets its result.',
                  on: {
                    'calls.settled': {
                      target: '#conversation.open.loop.idle',
                      actions: ['withdraw', endTurn('interrupted')],
                    },
                  },
                },
              },
            },
            waiting: {
              description: 'Nothing can be done now.',
              initial: 'toRetry',
              states: {
                toRetry: {
                  description:
                    'The model failed and is asked again after a pause, which the first words of a person cut short.',
                  always: {
                    guard: 'isEndingUnattended',
                    target: '#conversation.open.loop.idle',
                    actions: endTurn('failed'),
                  },
                  entry: [
                    {
                      type: 'announceRetry',
                      params: ({ context }) => ({
                        attempt: context.failures,
                        afterMs: toBackoffMs(context),
                      }),
                    },
                    {
                      type: 'armDeadline',
                      params: ({ context }) => ({ deadline: 'retry', afterMs: toBackoffMs(context) }),
                    },
                  ],
                  exit: { type: 'disarmDeadline', params: { deadline: 'retry' } },
                  on: {
                    'deadline.retry': { target: '#conversation.open.loop.thinking', actions: [...deliver] },
                    'inbox.arrived': {
                      guard: 'isFirstMessage',
                      target: '#conversation.open.loop.thinking',
                      actions: [...deliver],
                    },
                    'turn.interrupt': {
                      target: '#conversation.open.loop.idle',
                      actions: endTurn('interrupted'),
                    },
                  },
                },
                compacting: {
                  description: 'The transcript is too long for the model and is made shorter.',
                  entry: compact,
                  exit: 'stopCompacting',
                  on: {
                    'compaction.settled': [
                      { guard: 'isWorthAsking', target: '#conversation.open.loop.thinking' },
                      { target: '#conversation.open.loop.idle', actions: endTurn('failed') },
                    ],
                    'turn.interrupt': {
                      target: '#conversation.open.loop.idle',
                      actions: endTurn('interrupted'),
                    },
                  },
                },
                forProcesses: {
                  description:
                    'The work is done; what still runs in the background may end, and its end is told.',
                  entry: 'watchProcesses',
                  always: [
                    { guard: 'isEndingNow', target: '#conversation.closing' },
                    { guard: 'hasReasonToWake', target: '#conversation.open.loop.idle.gathering' },
                  ],
                  on: { 'processes.gone': '#conversation.closing' },
                },
              },
            },
          },
        },
      },
    },
    closing: {
      description: 'What still runs of a turn is ended, and the processes as their lifetime says.',
      entry: [{ type: 'disarmDeadline', params: { deadline: 'background' } }, 'shutDown'],
      on: {
        'conversation.broke': { actions: 'recordBreak' },
        'conversation.closed': [{ guard: 'isBroken', target: 'failed' }, { target: 'done' }],
      },
    },
    done: {
      description: 'Nothing wakes it any more.',
      type: 'final',
    },
    failed: {
      description: 'It broke by a fault of ours or of an effect; what was recorded stays.',
      type: 'final',
    },
  },
});
